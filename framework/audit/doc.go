// Package audit says who made the changes that a recording shows, by the audit log of the API server.
//
// Policy is what the API server is to log, Log is where the log is, Records reads one of its events, Join finds the recorded change that each record
// is about, and Users says who a user name stands for. Authors puts them together for one recording.
//
// Everything but Log is pure. The format is that of k8s.io/apiserver/pkg/apis/audit/v1.
package audit
