package wrongapi

import (
	"encoding/json"
	"net/http"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// counterFaults are about generations and revisions, and about what is spec and what is status.
func counterFaults() []Fault {
	return []Fault{
		{Name: "api-touches-the-template", Says: "Changes the template with every write of a DaemonSet.", Breaks: []string{"API-015", "API-017"},
			Around: storing(func(d *appsv1.DaemonSet) {
				metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "written-over", d.ResourceVersion)
			}, updateDaemonSet)},
		{Name: "api-believes-template-generations", Says: "Says that it stored the template generation that an update gives.", Breaks: []string{"API-016"},
			Around: answering(giveTemplateGeneration, updateDaemonSet)},
		{Name: "api-writes-specs-with-statuses", Says: "Stores the spec that a write of the status carries.", Breaks: []string{"API-018"},
			Around: answering(writeSpecToo, updateStatus)},
		{Name: "api-lowers-collision-counts", Says: "Takes a collisionCount below the one that is stored.", Breaks: []string{"API-019"},
			Around: believing("collisionCount", updateStatus)},
		{Name: "revisions-change", Says: "Takes other data for a ControllerRevision.", Breaks: []string{"HISTORY-028"},
			Around: believing("data", "PUT /apis/apps/v1/namespaces/{namespace}/controllerrevisions/{name}")},
	}
}

// giveTemplateGeneration has the DaemonSet stored without the template generation that was sent, and answers with it.
func giveTemplateGeneration(api http.Handler, w http.ResponseWriter, r *http.Request) error {
	asked, r, err := sent[appsv1.DaemonSet](r)
	if err != nil {
		return err
	}
	given := asked.Annotations[appsv1.DeprecatedTemplateGeneration]
	delete(asked.Annotations, appsv1.DeprecatedTemplateGeneration)
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	answer := ask(api, with(r, body))
	var stored appsv1.DaemonSet
	if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &stored) != nil {
		return hand(w, answer)
	}
	metav1.SetMetaDataAnnotation(&stored.ObjectMeta, appsv1.DeprecatedTemplateGeneration, given)
	return reply(w, answer.Code, stored)
}

// writeSpecToo writes the DaemonSet before its status.
func writeSpecToo(api http.Handler, w http.ResponseWriter, r *http.Request) error {
	asked, r, err := sent[appsv1.DaemonSet](r)
	if err != nil {
		return err
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	written := with(r, body)
	written.URL.Path = strings.TrimSuffix(r.URL.Path, "/status")
	answer := ask(api, written)
	var stored appsv1.DaemonSet
	if answer.Code != http.StatusOK || json.Unmarshal(answer.Body.Bytes(), &stored) != nil {
		return hand(w, answer)
	}
	asked.ResourceVersion = stored.ResourceVersion
	return pass(api, w, r, asked)
}
