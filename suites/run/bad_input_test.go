package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputNamesTheThingAndTheFixAndLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("DOCKER_HOST", "unix://"+filepath.Join(folder, "no.sock"))
	file := filepath.Join(folder, "file")
	write(t, file, "not a recording\n")
	recording := recordingAt(t)
	implementation := filepath.Join(folder, "implementation.yaml")
	write(t, implementation, "apiVersion: rollcall.dev/v1alpha1\nkind: Implementation\nmetadata: {name: x}\nspec:\n  features: [Surge, Surgery]\n  launch: {none: {}}\n")
	foreign := filepath.Join(folder, "pod.yaml")
	write(t, foreign, "kind: Pod\n")
	packed := filepath.Join(folder, "packed.jsonl")
	write(t, packed, "\x1f\x8b\x08")
	zstd := filepath.Join(folder, "packed.jsonl.zst")
	write(t, zstd, "\x28\xb5\x2f\xfd")
	later := filepath.Join(folder, "later.jsonl")
	write(t, later, `{"n":1,"header":{"version":"rollcall.dev/recording/v1"}}`+"\n")
	misspelt := filepath.Join(folder, "misspelt.yaml")
	write(t, misspelt, "apiVersion: rollcall.dev/v1alpha1\nkind: Implementation\nmetadata: {name: x}\nspec:\n  features: [Surge]\n  launch: {process: {goPackage: ./cmd/mien}}\n")
	artifacts := filepath.Join(folder, "artifacts")
	for name, row := range map[string]struct {
		args []string
		want []string
	}{
		"no such command":           {[]string{"runn"}, []string{"no such command", "rollcall run"}},
		"an unknown flag":           {[]string{"run", "-providr=kind"}, []string{"providr"}},
		"an argument too many":      {[]string{"run", "kind"}, []string{`unexpected argument "kind"`}},
		"an unknown provider":       {[]string{"run", "-provider=moon"}, []string{"moon", "embedded"}},
		"nobody's cluster":          {[]string{"run", "-provider=existing"}, []string{"-kubeconfig=FILE", "-context=NAME", "no kubeconfig file"}},
		"images unsaid":             {[]string{"run", "-images=example.com/x"}, []string{"-images", "-provider=existing"}},
		"kept on embedded":          {[]string{"run", "-provider=embedded", "-keep"}, []string{"-keep", "-provider=kind", "embedded"}},
		"kept without an engine":    {[]string{"run", "-keep"}, []string{"-keep", "-provider=kind", "embedded"}},
		"a cluster unsaid":          {[]string{"run", "-kubeconfig=" + file}, []string{"-provider=existing"}},
		"a kubeconfig that is not":  {[]string{"run", "-provider=existing", "-kubeconfig=" + file, "-context=x"}, []string{file}},
		"nodes simulated unsaid":    {[]string{"run", "-provider=embedded", "-simulated-nodes"}, []string{"-simulated-nodes", "-provider=existing"}},
		"nodes simulated on one up": {[]string{"run", "-on=default", "-simulated-nodes"}, []string{"-simulated-nodes"}},
		"owners checked on kind":    {[]string{"run", "-provider=kind", "-check-owner-references"}, []string{"-check-owner-references", "-provider=embedded"}},
		"images to nowhere":         {[]string{"images"}, []string{"-output"}},
		"no parallelism":            {[]string{"run", "-procs=0"}, []string{"-procs 0"}},
		"no patience":               {[]string{"run", "-patience=-1s"}, []string{"-patience"}},
		"a broken expression":       {[]string{"run", "-focus=("}, []string{"-focus", "missing closing"}},
		"a focus on nothing":        {[]string{"run", "-focus=no spec says this"}, []string{"no spec says this", "selects no spec"}},
		"artifacts in a file":       {[]string{"run", "-artifacts=" + file}, []string{file, "not a folder"}},
		"no such implementation":    {[]string{"run", "-implementation=mine"}, []string{"mine", "reference", "kube-controller-manager"}},
		"a missing file":            {[]string{"run", "-implementation=./missing.yaml"}, []string{"missing.yaml"}},
		"an unknown feature":        {[]string{"run", "-implementation=" + implementation}, []string{"implementation.yaml:5", "Surgery", "HostPortRejection"}},
		"features not claimed":      {[]string{"run", "-provider=embedded", "-implementation=kube-controller-manager", "-focus=UNITED"}, []string{"kube-controller-manager does not claim (UnitedDaemonSet)", "spec.features"}},
		"a package not there":       {[]string{"run", "-dry-run", "-provider=embedded", "-implementation=" + misspelt}, []string{"misspelt.yaml:6", "./cmd/mien", "no such folder"}},
		"an unknown version":        {[]string{"run", "-kubernetes-version=banana"}, []string{"banana"}},
		"a version to build":        {[]string{"build", "-kubernetes-version=1.2"}, []string{"1.2"}},
		"a version too old":         {[]string{"run", "-provider=embedded", "-kubernetes-version=1.5.0"}, []string{"1.5.0", "v1.28.0 and later"}},
		"one too old for kind":      {[]string{"run", "-provider=kind", "-kubernetes-version=1.5.0"}, []string{"1.5.0", "v1.28.0 and later"}},
		"an argument to build":      {[]string{"build", "1.36.3"}, []string{`unexpected argument "1.36.3"`}},
		"nothing to judge":          {[]string{"judge"}, []string{"name the recordings"}},
		"a file that is none":       {[]string{"judge", file}, []string{file, "not a rollcall recording"}},
		"a packed recording":        {[]string{"judge", packed}, []string{packed, "gunzip"}},
		"judged into a folder":      {[]string{"judge", "-output=" + folder, packed}, []string{"-output", folder, "name a file"}},
		"judged into no folder":     {[]string{"judge", "-output=" + filepath.Join(folder, "none", "x.yaml"), packed}, []string{"-output", "none"}},
		"a report of another kind":  {[]string{"diff", foreign, foreign}, []string{foreign, `kind "Pod"`, "ConformanceReport"}},
		"a report that is missing":  {[]string{"run", "-baseline=" + filepath.Join(folder, "missing.yaml")}, []string{"-baseline: open " + filepath.Join(folder, "missing.yaml")}},
		"help on nothing":           {[]string{"help", "judge"}, []string{"rollcall judge -help"}},
		"the whole machine":         {[]string{"run", "-artifacts=/"}, []string{"not rollcall's", "more"}},
		"nothing to show":           {[]string{"show"}, []string{"name one recording"}},
		"too much to show":          {[]string{"show", file, file}, []string{"name one recording"}},
		"nothing that is shown":     {[]string{"show", file}, []string{file, "not a rollcall recording"}},
		"shown in no format":        {[]string{"show", "-format=svg", file}, []string{"-format", "svg", "terminal, html, trace"}},
		"shown before its time":     {[]string{"show", "-from=-1s", file}, []string{"-from", "negative"}},
		"shown backwards":           {[]string{"show", "-from=5s", "-to=2s", file}, []string{"-to 2s", "-from 5s"}},
		"no such time":              {[]string{"show", "-from=soon", file}, []string{"-from", "soon", "1m30s"}},
		"no number":                 {[]string{"run", "-procs=many"}, []string{"-procs", "many", "a whole number"}},
		"neither yes nor no":        {[]string{"run", "-keep=perhaps"}, []string{"-keep", "perhaps", "true or false"}},
		"no such node":              {[]string{"show", "-node=mars", recording}, []string{recording, "mars", "its nodes are [node-1"}},
		"after the end":             {[]string{"show", "-from=9h", recording}, []string{recording, "ends after", "9h"}},
		"no report to write":        {[]string{"report"}, []string{"name one report"}},
		"a report that is none":     {[]string{"report", file}, []string{file, "read report"}},
		"no report at all":          {[]string{"report", filepath.Join(folder, "missing.yaml")}, []string{"missing.yaml"}},
		"a report in no format":     {[]string{"report", "-format=pdf", file}, []string{"-format", "pdf", "html, junit, markdown"}},
		"a page in no folder":       {[]string{"show", "-output=" + filepath.Join(folder, "no", "page"), recording}, []string{"-output", "no such file"}},
		"a recording that is not":   {[]string{"judge", filepath.Join(folder, "missing")}, []string{"missing"}},
		"a row without specs":       {[]string{"run", "-dry-run", "-focus=INPLACE-010"}, []string{"INPLACE-010", "selects no spec"}},
		"one of several on nothing": {[]string{"run", "-focus=SURGE-007", "-focus=no such"}, []string{"no such", "selects no spec"}},
		"one of a list on nothing":  {[]string{"run", "-focus=SURGE-007, SURGE-999"}, []string{"-focus", "SURGE-999"}},
		"an empty focus":            {[]string{"run", "-focus="}, []string{"-focus", "empty"}},
		"everything skipped":        {[]string{"run", "-focus=SURGE-007", "-skip=SURGE"}, []string{"select no spec", "-list"}},
		"no such report":            {[]string{"run", "-failed-in=" + filepath.Join(folder, "missing.yaml")}, []string{"-failed-in", "missing.yaml"}},
		"no report":                 {[]string{"run", "-failed-in=" + file}, []string{"-failed-in", file}},
		"less than none":            {[]string{"run", "-stop-after=-1"}, []string{"-stop-after -1"}},
		"somebody's folder":         {[]string{"run", "-artifacts=" + folder}, []string{folder, "file", "touch " + filepath.Join(folder, ".rollcall")}},
		"nothing to explain":        {[]string{"explain"}, []string{"SURGE-013"}},
		"no such requirement":       {[]string{"explain", "SURGE-999"}, []string{"SURGE-999"}},
		"an argument to version":    {[]string{"version", "all"}, []string{`unexpected argument "all"`}},
		"an argument to the table":  {[]string{"requirements", "SURGE"}, []string{`unexpected argument "SURGE"`}},
		"a watch of nothing":        {[]string{"watch", "-A"}, []string{"name what to watch", "daemonset/NAME"}},
		"a watch nowhere":           {[]string{"watch", "daemonset"}, []string{"-n", "-A"}},
		"a watch of pods":           {[]string{"watch", "-n=x", "pod/a"}, []string{"pod/a", "daemonset/NAME"}},
		"a watch of a name":         {[]string{"watch", "-A", "daemonset/a"}, []string{"daemonset/a", "-n"}},
		"a watch until something":   {[]string{"watch", "-n=x", "-until=done", "ds/a"}, []string{"-until done", "rolled-out"}},
		"a watch of no cluster":     {[]string{"watch", "-n=x", "-artifacts=" + artifacts, "ds/a"}, []string{"-kubeconfig=FILE", "-context=NAME"}},
		"a watch over others' work": {[]string{"watch", "-n=x", "-artifacts=" + folder, "ds/a"}, []string{folder, "not empty"}},
		"events of no watch":        {[]string{"watch", "-json", "-n=x", "-artifacts=" + artifacts, "ds/a"}, []string{"-kubeconfig=FILE", "-context=NAME"}},
		"a job to nowhere":          {[]string{"job"}, []string{"-output", "job.yaml"}},
		"a job over others' work":   {[]string{"job", "-output=" + folder}, []string{folder, "there already"}},
		"a job in a file":           {[]string{"job", "-output=" + filepath.Join(file, "job")}, []string{"-output", "not a directory"}},
		"a job of no shards":        {[]string{"job", "-output=" + artifacts, "-shards=0"}, []string{"-shards 0", "64"}},
		"a job of too many":         {[]string{"job", "-output=" + artifacts, "-shards=65"}, []string{"-shards 65", "64"}},
		"more shards than specs":    {[]string{"job", "-output=" + artifacts, "-shards=60", "--", "-focus=SURGE-007"}, []string{"60/60", "leaves no spec"}},
		"a job in no namespace":     {[]string{"job", "-output=" + artifacts, "-n=My Team"}, []string{`-n "My Team"`, "lower case"}},
		"an image with a tag":       {[]string{"job", "-output=" + artifacts, "-repository=example.com/x:v1"}, []string{"-repository", "without a tag"}},
		"an image of no registry":   {[]string{"job", "-output=" + artifacts, "-repository=rollcall"}, []string{"-repository", `"rollcall"`, "registry.example.com"}},
		"a job's word apart":        {[]string{"job", "-output=" + artifacts, "--", "-focus", "SURGE"}, []string{"-focus", "such as -focus=SURGE"}},
		"a job of one shard alone":  {[]string{"job", "-output=" + artifacts, "--", "-shard=1/2"}, []string{"-shard=1/2", "behind --", "-focus"}},
		"a job that writes":         {[]string{"job", "-output=" + artifacts, "--", "-artifacts=/x"}, []string{"-artifacts=/x", "behind --"}},
		"a job about nothing":       {[]string{"job", "-output=" + artifacts, "--", "-focus=no spec says this"}, []string{"selects no spec"}},
		"a job of an old version":   {[]string{"job", "-output=" + artifacts, "-kubernetes-version=1.5.0"}, []string{"1.5.0", "v1.28.0 and later"}},
		"a job's broken number":     {[]string{"job", "-output=" + artifacts, "--", "-procs=many"}, []string{"procs", "many"}},
		"a shard without a job":     {[]string{"shard-in-job", "-shards=2"}, []string{"JOB_COMPLETION_INDEX", "rollcall job"}},
		"results of what":           {[]string{"shard-results", "now"}, []string{`unexpected argument "now"`}},
		"shards of no cluster":      {[]string{"collect", "-artifacts=" + artifacts}, []string{"-kubeconfig=FILE", "-context=NAME"}},
		"shards of a broken file":   {[]string{"collect", "-artifacts=" + artifacts, "-kubeconfig=" + file, "-context=x"}, []string{file}},
		"shards over others' work":  {[]string{"collect", "-artifacts=" + folder}, []string{folder, "not rollcall's"}},
		"shards into nowhere":       {[]string{"collect", "-artifacts="}, []string{"-artifacts", "name a folder"}},
		"a shard's folder":          {[]string{"collect", "shard-1"}, []string{`unexpected argument "shard-1"`}},
		"no implementation":         {[]string{"run", "-implementation="}, []string{"no implementation is named", "reference"}},
		"a folder to run":           {[]string{"check", folder + "/"}, []string{folder, "is a folder", "name the implementation file"}},
		"results nowhere":           {[]string{"run", "-artifacts="}, []string{"-artifacts", "name a folder"}},
		"results below a file":      {[]string{"run", "-artifacts=" + filepath.Join(file, "artifacts")}, []string{"-artifacts", file, "not a directory"}},
		"workers on embedded":       {[]string{"up", "-provider=embedded", "-workers=3"}, []string{"-workers is for -provider=kind, this is embedded"}},
		"a start that is there":     {[]string{"init", "-output=" + file}, []string{"-output", file, "is not replaced", "another file"}},
		"a folder to show":          {[]string{"show", folder}, []string{folder, "is a folder", ".jsonl"}},
		"a folder without a report": {[]string{"diff", folder, folder}, []string{"report.yaml", "name the report, or the folder, of a run"}},
		"a file to publish":         {[]string{"publish", file}, []string{file, "is a file", "the folder of a run"}},
		"no run to publish":         {[]string{"publish", folder}, []string{"report.yaml", "the folder, of a run"}},
		"a file to merge":           {[]string{"merge", file}, []string{"shard " + file, "is a file", "the folder of a run"}},
		"no publication":            {[]string{"verify", folder}, []string{folder, "not the folder of a publication", "rollcall publish"}},
		"a publication in a file":   {[]string{"verify", file}, []string{file, "not the folder of a publication"}},
		"one that zstd packed":      {[]string{"judge", zstd}, []string{zstd, "zstd -d"}},
		"packed, to be shown":       {[]string{"show", zstd}, []string{zstd, "zstd -d"}},
		"a later recording":         {[]string{"judge", later}, []string{later, "recording/v1, that of a later version of rollcall"}},
		"events of a list":          {[]string{"run", "-json", "-list"}, []string{"-json", "-list and -dry-run start none"}},
		"events of a plan":          {[]string{"run", "-json", "-dry-run"}, []string{"-json", "-dry-run"}},
		"events of no run":          {[]string{"run", "-json", "-focus=no spec says this"}, []string{"selects no spec"}},
		"json of another form":      {[]string{"run", "-json=lines"}, []string{"json", "lines"}},
		"events of nothing judged":  {[]string{"judge", "-json"}, []string{"name the recordings"}},
		"events of no recording":    {[]string{"judge", "-json", file}, []string{file, "not a rollcall recording"}},
		"an unknown flag of judge":  {[]string{"judge", "-quiet", file}, []string{"quiet", "rollcall judge -help"}},
		"flags behind a recording":  {[]string{"judge", recording, "-v"}, []string{"-v"}},
		"events of one report":      {[]string{"diff", "-json", foreign}, []string{"name two reports"}},
		"events of no reports":      {[]string{"diff", "-json", foreign, foreign}, []string{foreign, `kind "Pod"`}},
		"no shell":                  {[]string{"completion"}, []string{"name one shell", "bash, fish, zsh"}},
		"an unknown shell":          {[]string{"completion", "powershell"}, []string{"powershell", "bash, fish, zsh"}},
		"two shells":                {[]string{"completion", "bash", "zsh"}, []string{"name one shell"}},
		"a flag for a shell":        {[]string{"completion", "-shell=bash"}, []string{"shell", "rollcall completion -help"}},
		"no schema":                 {[]string{"schema"}, []string{"name one schema", "events, implementation, report"}},
		"an unknown schema":         {[]string{"schema", "pod"}, []string{"pod", "events, implementation, report"}},
		"two schemas":               {[]string{"schema", "report", "events"}, []string{"name one schema"}},
		"a schema of a file":        {[]string{"schema", file}, []string{file, "events, implementation, report"}},
		"a schema into a file":      {[]string{"schema", "-output=x", "report"}, []string{"output"}},
		"nothing to publish":        {[]string{"publish"}, []string{"name the folder of one run"}},
		"two runs to publish":       {[]string{"publish", folder, folder}, []string{"name the folder of one run"}},
		"no folder to verify":       {[]string{"verify"}, []string{"name the folder of one publication"}},
		"a signer without a key":    {[]string{"verify", "-signer=x", folder}, []string{"-signers and -signer go together"}},
		"verified by no run":        {[]string{"verify", "-recordings=" + filepath.Join(folder, "missing"), folder}, []string{"-recordings", "missing", "not the folder of a run"}},
		"verified by a folder":      {[]string{"verify", "-recordings=" + folder, folder}, []string{"-recordings", folder, "not the folder of a run"}},
		"no file of signers":        {[]string{"verify", "-signers=" + filepath.Join(folder, "missing"), "-signer=x", folder}, []string{"-signers", "missing"}},
		"the runner's own command":  {[]string{specsCommand}, []string{parentVariable}},
	} {
		t.Run(name, func(t *testing.T) {
			args := row.args
			if args[0] == "run" && !strings.Contains(strings.Join(args, " "), "-artifacts") {
				args = append([]string{"run", "-artifacts=" + artifacts}, args[1:]...)
			}
			var out bytes.Buffer
			_, err := dispatch(context.Background(), args[0], args[1:], &out)
			if err == nil {
				t.Fatalf("it was accepted; output:\n%s", out.String())
			}
			if name != "the runner's own command" && !errors.As(err, new(usageError)) {
				t.Errorf("not a usage error: %v", err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in: %v", want, err)
				}
			}
			if _, err := os.Stat(artifacts); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was left in %s: %v", artifacts, err)
			}
		})
	}
}
