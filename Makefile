# rollcall: `make e2e` runs the suites, `make test` checks rollcall itself. Everything else is for those who work on it.

PROVIDER           ?=
IMPLEMENTATION     ?= reference
ARTIFACTS          ?= _artifacts
KUBERNETES_VERSION ?=
FOCUS              ?=
SKIP               ?=
SAMPLE             ?=
FAILED_IN          ?=
STOP_AFTER         ?=
BASELINE           ?=
SEED               ?=
PROCS              ?=
PATIENCE           ?=
WORKERS            ?=
KEEP               ?=
KUBECONFIG_FILE    ?=
CONTEXT            ?=
IMAGES             ?=
SIMULATED_NODES    ?=
MUTANTS            ?=
NODES              ?=
BUDGETS            ?=
PODS               ?=
ROUNDS             ?=
N                  ?=
LOAD               ?=
LEAST              ?=
VERSIONS           ?=

ROLLCALL = $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/rollcall/checkout/rollcall

RUN = $(if $(PROVIDER),-provider=$(PROVIDER)) -implementation=$(IMPLEMENTATION) -artifacts=$(ARTIFACTS) \
	$(if $(WORKERS),-workers=$(WORKERS)) $(if $(KEEP),-keep=$(KEEP)) \
	$(if $(KUBERNETES_VERSION),-kubernetes-version=$(KUBERNETES_VERSION)) $(if $(FOCUS),-focus='$(FOCUS)') \
	$(if $(SKIP),-skip='$(SKIP)') $(if $(SAMPLE),-sample=$(SAMPLE)) $(if $(FAILED_IN),-failed-in='$(FAILED_IN)') $(if $(STOP_AFTER),-stop-after=$(STOP_AFTER)) $(if $(BASELINE),-baseline='$(BASELINE)') \
	$(if $(SEED),-seed=$(SEED)) $(if $(PROCS),-procs=$(PROCS)) $(if $(PATIENCE),-patience=$(PATIENCE)) \
	$(if $(KUBECONFIG_FILE),-kubeconfig='$(KUBECONFIG_FILE)') $(if $(CONTEXT),-context='$(CONTEXT)') $(if $(IMAGES),-images='$(IMAGES)') \
	$(if $(SIMULATED_NODES),-simulated-nodes=$(SIMULATED_NODES))

.PHONY: help
help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@printf '\nVariables of make e2e: PROVIDER IMPLEMENTATION ARTIFACTS KUBERNETES_VERSION FOCUS SKIP SAMPLE FAILED_IN STOP_AFTER BASELINE\nSEED PROCS PATIENCE WORKERS KEEP,\nand for PROVIDER=existing KUBECONFIG_FILE CONTEXT IMAGES SIMULATED_NODES; see `rollcall run -help`.\n'

.PHONY: rollcall
rollcall: ## Build the rollcall command into the cache
	@go build -buildvcs=auto -o '$(ROLLCALL)' .

.PHONY: e2e
e2e: rollcall ## Run the suites against an implementation and write a report
	@'$(ROLLCALL)' run $(RUN)

.PHONY: requirements
requirements: rollcall ## Print the catalogue: requirement, level, deciding specs
	@'$(ROLLCALL)' requirements

.PHONY: test
test: lint rollcall ## Check rollcall itself: linters, unit tests, levers, simulation; SEED=7 draws the same simulations again
	@'$(ROLLCALL)' build
	@ROLLCALL_SEED=$(SEED) go test -timeout=30m ./...

.PHONY: lint
lint: ## Run the linters alone
	@hack/lint

.PHONY: mutants
mutants: ## Break the reference, and the API server, in every way that is known, and see the suite find out; MUTANTS=deletes-first tries that one, SAMPLE=6 SEED=7 draws those
	@go run ./hack/mutants $(if $(SAMPLE),-sample=$(SAMPLE)) $(if $(SEED),-seed=$(SEED)) $(MUTANTS)

.PHONY: mutation
mutation: ## Change the planner of DaemonSets in every small way, and see the standing rules object in the simulation; SAMPLE=60 SEED=7 draws those, LEAST=70 is content with 70 %
	@go run ./hack/mutation $(if $(SAMPLE),-sample=$(SAMPLE)) $(if $(SEED),-seed=$(SEED)) $(if $(LEAST),-least=$(LEAST))

.PHONY: lawful
lawful: ## Run the suite against every lawful variant of the reference, and see it find nothing; MUTANTS=one-worker tries that one
	@go run ./hack/mutants -lawful $(MUTANTS)

FUZZ = framework/history:FuzzTampering framework/story:FuzzRecording framework/schedule:FuzzParse framework/implementation:FuzzDecode reports:FuzzReadYAML

.PHONY: fuzz
fuzz: ## Fuzz what reads files that others made, a minute each: recordings, reports, implementation files, schedules
	@set -e; for target in $(FUZZ); do go test ./$${target%%:*} -run='^$$' -fuzz="^$${target##*:}\$$" -fuzztime=1m; done

.PHONY: soak
soak: ## Run the suite N=5 times in other orders, and list the verdicts that differ; LOAD=8 beside busy processes, FOCUS= IMPLEMENTATION= SEED= as of e2e
	@go run ./hack/soak -implementation=$(IMPLEMENTATION) $(if $(N),-n=$(N)) $(if $(LOAD),-load=$(LOAD)) $(if $(FOCUS),-focus='$(FOCUS)') $(if $(SEED),-seed=$(SEED))

.PHONY: matrix
matrix: ## Run the suite against kube-controller-manager of several versions, and print a table; VERSIONS=1.36.3,1.37.0 names them, FOCUS= as of e2e
	@go run ./hack/matrix $(if $(VERSIONS),-versions=$(VERSIONS)) $(if $(FOCUS),-focus='$(FOCUS)')

.PHONY: least-privilege
least-privilege: ## Take every permission of the reference's RBAC away once, and see the suite notice
	@go run ./hack/leastprivilege

.PHONY: workload
workload: ## Test a controller of an API of its own, the toy's, and see the suite pass what it passes for DaemonSets, and find it out when it is broken
	@go run ./hack/workload

.PHONY: compare
compare: ## Try broken variants on Kubernetes' own end-to-end tests and on the suite, and see how many each finds out; SAMPLE=10 SEED=7 draws those
	@go run ./hack/compare $(if $(SAMPLE),-sample=$(SAMPLE)) $(if $(SEED),-seed=$(SEED))

.PHONY: bench
bench: ## Measure the reference against kube-controller-manager: rollouts, and budgets over many pods; NODES=100 BUDGETS=0 ROUNDS=5 measures those
	@go run ./hack/bench $(if $(NODES),-nodes=$(NODES)) $(if $(BUDGETS),-budgets=$(BUDGETS)) $(if $(PODS),-pods=$(PODS)) $(if $(ROUNDS),-rounds=$(ROUNDS))

.PHONY: bench-harness
bench-harness: ## Measure recording and judging: 20,000 events each
	@go test -run='^$$' -bench=20000 -benchtime=3x ./framework/...

.PHONY: release
release: ## Build what a release consists of into _release: binaries, SBOMs, digests; hack/release/twice proves that others can
	@rm -rf _release
	@go run ./hack/release

.PHONY: node-image
node-image: ## Build the image of a kind node from source, without a registry
	@go run ./hack/nodeimage $(if $(KUBERNETES_VERSION),-kubernetes-version=$(KUBERNETES_VERSION))
