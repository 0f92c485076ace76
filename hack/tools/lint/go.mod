module github.com/rollcall-conformance/rollcall/hack/tools/lint

go 1.26.0

tool (
	github.com/nunnatsa/ginkgolinter/cmd/ginkgolinter
	honnef.co/go/tools/cmd/staticcheck
)

require (
	github.com/BurntSushi/toml v1.4.1-0.20240526193622-a339e1f7089c // indirect
	github.com/go-toolsmith/astcopy v1.1.0 // indirect
	github.com/nunnatsa/ginkgolinter v0.24.0 // indirect
	golang.org/x/exp/typeparams v0.0.0-20260811152304-ee035b5b010f // indirect
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
	honnef.co/go/tools v0.8.2 // indirect
)
