# flowstart: `make demo` shows what it does, `make test` whether it does it right.

PYTHON ?= python3
VENV := .venv
DOCS := .venv-docs
N := 5
SECONDS := 600
TARGETS :=
# They decompress with C libraries, or take Miri minutes.
MIRI_SKIP := --skip packing --skip gzip --skip no_bytes --skip no_block
BIN := $(VENV)/bin
UV := $(shell command -v uv)
INSTALL := $(if $(UV),uv pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --no-compile) \
	--no-deps --require-hashes -r
# Bytecode once, on all cores: where Python may write none, each start would compile every module.
COMPILE := $(BIN)/python -m compileall -qq -j 0
# It shares no job slots with make, which has two jobs whatever the machine.
CARGO := env -u MAKEFLAGS -u MFLAGS cargo
NPM := $(BIN)/python web/npm.py
RUST := Cargo.toml $(wildcard Cargo.lock) $(shell find crates -name '*.rs' -o -name Cargo.toml)
PYTHONS := python tests/python examples $(wildcard tools/docs/*.py web/*.py) $(wildcard benches/*.py packaging/*.py)
SPELLED := $(wildcard *.md) .github docs tools python crates examples benches packaging web/src
WEB := $(wildcard web/*.json web/*.mjs) $(shell find web/src -type f)
PAGE := python/flowstart/render/page
WASM := wasm32-unknown-unknown
ENGINE := target/$(WASM)/wasm/flowstart_wasm.wasm
STATIC := out/page/index.html
# Where wheels are built, for Linux with C libraries from 2014 on.
WHEELS := .venv-wheels
PLATFORMS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
LOCK = $(WHEELS)/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command 'make lock'
LIVE := --features flowstart-quinn/lab,flowstart-quinn/noq-runtime,flowstart-quinn/quinn-runtime
SBOM := dist/flowstart-$(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml).cdx.json
MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# pytest keeps the bytecode of tests, whose asserts it rewrites: that takes longer than to load them.
unexport PYTHONDONTWRITEBYTECODE
PICKED = $(shell for p in $(PYTHON) python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo $$p; break; }; done)

# As maturin sets them: otherwise cargo and maturin take turns in building PyO3 anew.
export PYO3_BUILD_EXTENSION_MODULE := 1
export PYO3_ENVIRONMENT_SIGNATURE := $(shell $(or $(PICKED),false) -c \
	'import sys; print("cpython-%d.%d-%dbit" % (*sys.version_info[:2], sys.maxsize.bit_length() + 1))')

# Where rustup neither has the toolchain of rust-toolchain.toml nor gets it, its default one is used.
ifneq ($(filter-out help clean,$(MAKECMDGOALS)),)
INSTEAD := $(shell if command -v rustup cargo >/dev/null && ! cargo --version >/dev/null 2>&1; then \
	rustup default 2>/dev/null | cut -d' ' -f1; fi)
ifneq ($(INSTEAD),)
$(shell echo "The toolchain of rust-toolchain.toml is not here and cannot be had; using $(INSTEAD)" >&2)
export RUSTUP_TOOLCHAIN := $(INSTEAD)
endif
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: $(shell sed -n 's/^\([a-z0-9-]*\):.*/\1/p' $(MAKEFILE_LIST))

help: ## Show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## Make .venv with the package and what it needs
	@$(MAKE) --no-print-directory -j2 $(VENV)/.built
	@$(COMPILE) python

release: setup ## Build the package with fat LTO and a profile, for benchmarks and work that takes long
	PIP_QUIET=1 $(BIN)/python benches/profiles.py $(BIN)/maturin develop --release --quiet

demo: setup ## Compare startups on the transfers of a recorded capture, into out/demo
	$(BIN)/flowstart replay tests/data/captures/web-mix.pcap.gz -o out/demo

page: $(PAGE)/.built setup ## Build the explorer's page, the script of reports, and out/page, which needs no server
	@rustup target add $(WASM) >/dev/null 2>&1 \
		|| { echo "$(STATIC) is left out: rustup has no target $(WASM)"; exit 0; }; \
	$(MAKE) --no-print-directory $(STATIC)

papers: release ## Regenerate every figure and table of the papers, into out/papers
	$(BIN)/flowstart papers run --all -o out/papers

papers-quick: setup ## The heart of every paper in less than a minute, into out/papers-quick
	$(BIN)/flowstart papers run --subset quick -o out/papers-quick

papers-record: setup ## Record what every target of the papers comes to, into tests/data/papers
	$(BIN)/python tests/python/papers_record.py

# Rust and Python share nothing once the package is built.
test: setup $(VENV)/.tools ## What every change needs: formats, lints, types and tests, in five minutes
	@$(MAKE) --no-print-directory -j2 test-rust test-python

test-rust: $(VENV)/.built
	cargo fmt --all --check
	$(CARGO) test --quiet
	$(CARGO) clippy --quiet -- -D warnings

test-python: $(VENV)/.built $(VENV)/.tools
	$(BIN)/ruff format --check $(PYTHONS)
	$(BIN)/ruff check $(PYTHONS)
	$(BIN)/codespell $(SPELLED)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/pytest -n 2 --dist worksteal

test-long: test-ci-long test-python-long test-real-time test-many-seeds test-browser live-s2n ## What `make test` leaves out

# What of `make test-long` depends on no clock and no browser, and takes no more than some minutes.
test-ci-long: live test-docs test-page test-slow test-rust-long test-32-bit

test-docs: live $(PAGE)/.built ## Check that pages are current, and run their commands
	$(BIN)/pytest -n 2 --dist worksteal -m "docs and not long"

test-slow: setup $(VENV)/.tools ## Run the tests that take seconds or kill processes: sweeps, Dask, memory
	$(BIN)/pytest -n 2 --dist worksteal -m "slow and not long"

test-rust-long: setup ## Check and test the crates that only `make test-long` builds
	$(CARGO) clippy --workspace --all-targets $(LIVE) --quiet -- -D warnings
	$(CARGO) test --quiet -p flowstart-c -p flowstart-packetdrill -p flowstart-fuzz -p flowstart-benches
	$(CARGO) test --quiet -p flowstart-export --features check
	$(CARGO) test --quiet -p flowstart-quinn $(LIVE)

test-32-bit: ## Check the crates of the protocol where usize has 32 bits
	@rustup target add wasm32-unknown-unknown >/dev/null 2>&1 \
		|| { echo "test-32-bit is left out: rustup has no target wasm32-unknown-unknown"; exit 0; }; \
	$(CARGO) check --quiet --target wasm32-unknown-unknown \
		-p flowstart-control -p flowstart-transport -p flowstart-network

test-many-seeds: ## Compare noq and quinn with the simulator over many seeds
	$(CARGO) test --quiet -p flowstart-quinn $(LIVE) -- --ignored

test-python-long: setup $(VENV)/.tools ## Run the tests that take minutes: all papers, the coverage of intervals
	$(BIN)/pytest -m long

test-real-time: live ## Run the tests that depend on the machine's clock
	$(BIN)/pytest -m real_time

live: setup $(VENV)/.tools ## Build noq and quinn into the package, and test live runs in virtual time
	PIP_QUIET=1 $(BIN)/maturin develop --quiet --features quic
	$(BIN)/pytest -n 2 $(addprefix tests/python/test_,live.py columns.py extras.py limits.py)

test-page: page ## Check the page's types, and run the tests of its logic
	$(NPM) run --silent check
	$(NPM) run --silent test

test-browser: page ## Drive the explorer and reports in headless Chromium and Firefox
	$(BIN)/python web/browsers.py
	$(NPM) run --silent browser

screenshots: $(PAGE)/.built ## Draw the pictures of the explorer for the docs
	$(BIN)/python web/browsers.py
	$(NPM) run --silent screenshots
	$(BIN)/python tools/docs/pictures.py explorer report

# Outside of the workspace: what s2n-quic depends on takes minutes to build.
live-s2n: setup ## Build s2n-quic into the package, and check it
	cd crates/s2n && cargo fmt --check && cargo clippy --all-targets --all-features --quiet -- -D warnings
	cd crates/s2n && cargo test --all-features
	PIP_QUIET=1 $(BIN)/maturin develop --quiet --features quic,s2n
	cd crates/s2n && RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --all-features

# Outside of the workspace too: BoringSSL takes minutes to build, with cmake and Debian's libclang-dev.
live-quiche: setup ## Build quiche into the package, and check it
	cd crates/quiche && cargo fmt --check && cargo clippy --all-targets --quiet -- -D warnings
	cd crates/quiche && cargo test
	PIP_QUIET=1 $(BIN)/maturin develop --quiet --features quic,quiche
	cd crates/quiche && RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# With it the package has `live --stack linux`, until `make setup` builds it anew.
live-linux: setup ## Build in and check the startups in this machine's kernel: docs/guides/kernel.md
	@for header in libelf.h zlib.h; do \
		echo "#include <$$header>" | $(CC) -E - >/dev/null 2>&1 \
		|| { echo "live-linux needs $$header: on Debian, apt-get install libelf-dev zlib1g-dev" >&2; exit 1; }; done
	cargo clippy -p flowstart-linux --features bpf --all-targets --quiet -- -D warnings
	PIP_QUIET=1 $(BIN)/maturin develop --release --features quic,linux --quiet
	cargo test --release -p flowstart-linux --features bpf -- --test-threads=1
	$(BIN)/pytest -m "" $(addprefix tests/python/test_,live_linux.py collect_linux.py kernel.py loop_linux.py)
	@if command -v packetdrill >/dev/null; then $(BIN)/python tools/docs/kernel_scripts.py; \
	else echo "packetdrill is not in PATH: its scripts were not run on the kernel" >&2; fi

kernel-agreement: ## How far all startups agree in the kernel, in some ten minutes, for docs/guides/kernel.md
	$(BIN)/python tools/docs/kernel.py

publish-dry-run: ## Package the crates, and build each from its package; nothing is uploaded
	cargo publish --dry-run --workspace --allow-dirty
	@# Outside of the workspace: packaged beside it, and built by live-s2n.
	cargo publish --dry-run --no-verify --allow-dirty --manifest-path crates/s2n/Cargo.toml \
		$(foreach c,control live network sim transport wire,--config 'patch.crates-io.flowstart-$(c).path="crates/$(c)"')

rust-docs: ## The crates' API as pages, without a warning, into target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --exclude flowstart-benches --exclude flowstart-python \
		--no-deps $(LIVE)

msrv: ## Build with the oldest Rust that Cargo.toml states
	@rustup toolchain list 2>/dev/null | grep -q '^$(MSRV)' || { echo "msrv needs Rust $(MSRV): rustup toolchain install $(MSRV).0 --profile minimal" >&2; exit 1; }
	cargo +$(MSRV).0 check --workspace --all-targets --locked $(LIVE)

check-locks: ## Check that each Cargo.lock fits its manifests
	@for folder in . crates/s2n crates/quiche fuzz; do \
		cargo metadata --locked --quiet --format-version 1 --manifest-path $$folder/Cargo.toml >/dev/null \
		|| { echo "$$folder/Cargo.lock is stale: cargo metadata --manifest-path $$folder/Cargo.toml" >&2; exit 1; }; done

lint-workflows: ## Check the workflows with actionlint, which Go builds
	@command -v go >/dev/null || { echo "lint-workflows needs Go: see https://go.dev/dl" >&2; exit 1; }
	go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

deny: ## Check licences, duplicates, sources and advisories of dependencies
	@cargo deny --version >/dev/null 2>&1 || { echo "deny needs cargo-deny: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny check licenses bans sources
	@$(PICKED) packaging/third_party.py --check
	@cargo deny fetch db >/dev/null 2>&1 || { echo "The database of advisories cannot be had: advisories are not checked" >&2; exit 0; }; \
		cargo deny check advisories

third-party: ## Write THIRD_PARTY.md: what of others a wheel holds
	@$(PICKED) packaging/third_party.py

same-bytes: ## Whether all builds, and aarch64, come to the recorded bytes: docs/maintainers/determinism.md
	@$(PICKED) tests/python/same_bytes_builds.py --into docs/maintainers/determinism.md

stability-record: setup $(VENV)/.tools ## Write names, columns and schemas that users rely on: docs/reference/stability.md
	PYTHONPATH=tests/python $(BIN)/python tests/python/stability.py

same-bytes-record: setup ## Write what is compared by `make same-bytes`, after results were meant to change
	$(BIN)/python tests/python/same_bytes_scenarios.py
	$(BIN)/python tests/python/same_bytes_builds.py --record

coverage: ## Lines of control and transport that tests reach, into docs/maintainers/coverage.md
	@$(PICKED) tests/python/rust_coverage.py

format: setup ## Put all sources into the project's form
	cargo fmt --all
	cd crates/s2n && cargo fmt
	cd crates/quiche && cargo fmt
	$(BIN)/ruff format $(PYTHONS)
	$(BIN)/ruff check --fix $(PYTHONS)

docs: setup ## Write what the pages take from the catalog, from code and from runs
	PYTHONPATH=examples:examples/gauge $(BIN)/python tools/docs/pages.py

qualification: setup ## Write docs/reference/results/published.md: published numbers next to ours
	$(BIN)/python tools/docs/qualification.py

docs-words: $(VENV)/.tools ## Count the words and the banned words of the pages that are written by hand
	PYTHONPATH=tests/python $(BIN)/python tools/docs/words.py

docs-site: page $(DOCS)/.installed web/node_modules/.installed ## Build the documentation site into out/site, and check its links
	rm -rf target/doc
	cargo doc --workspace --no-deps --quiet
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=tools/docs $(DOCS)/bin/mkdocs build --strict --quiet
	$(BIN)/python tools/docs/site_check.py out/site

check-links: docs-site ## Ask also whether the pages elsewhere that the site links are there
	$(BIN)/python tools/docs/site_check.py out/site --external

worst-paths: release ## Search anew for the paths on which well-known startups do worst
	$(BIN)/python tools/docs/worst.py

interval-coverage: release ## How often intervals hold, on 2000 made-up tables of each design
	$(BIN)/python benches/interval_coverage.py

compare-verdicts: release ## Verdicts of `compare` on 30 random paths next to those of 400 other seeds
	$(BIN)/python benches/compare_verdicts.py

grid: release ## Run the sweeps of docs/reference/grid.md and of the README's map, in some ten minutes
	$(BIN)/flowstart sweep default-grid -o out/default-grid
	$(BIN)/flowstart sweep irtf-tcpeval -o out/irtf-tcpeval
	$(BIN)/flowstart sweep map -o out/map
	$(BIN)/python tools/docs/grid.py out/default-grid out/irtf-tcpeval out/map
	$(BIN)/python tools/docs/pictures.py default-grid irtf-tcpeval map

gauge: release ## Judge gauge on held-out paths, in some 40 minutes on two cores, for docs/concepts/gauge.md
	$(BIN)/python examples/gauge/judge.py all -o out/gauge
	PYTHONPATH=examples/gauge $(BIN)/python tools/docs/gauge.py out/gauge
	$(BIN)/python tools/docs/pictures.py gauge

gauge-tune: release ## Tune gauge's constants on the tuning paths, into out/gauge-tune
	$(BIN)/python -m pip install --quiet 'optuna>=4'
	$(BIN)/python examples/gauge/tune.py -o out/gauge-tune

bench: release ## Measure the budgets
	cargo bench --workspace
	$(BIN)/python tests/python/bench_overhead.py
	$(BIN)/python tests/python/bench_startups.py
	$(BIN)/python tests/python/bench_trajectories.py

bench-against: ## HEAD beside REV=…, in alternation [WORKLOADS="bulk web"] [N=5]
	@$(PICKED) benches/against.py --workloads "$(WORKLOADS)" --rounds "$(N)" -- "$(REV)"

instructions: ## Instructions per packet, at HEAD or REV=… [GUIDED=1: with a profile] [RECORD=1] (needs valgrind)
	@$(PICKED) benches/instructions.py $(if $(GUIDED),--guided) $(if $(RECORD),--record) -- $(or $(REV),HEAD)

speed-record: ## Append HEAD, or REVS="a b", to docs/maintainers/speed-record.md [N=5]
	@$(PICKED) benches/record.py --rounds "$(N)" -- $(REVS)

fuzz: setup ## Fuzz each entry point for SECONDS=600 [TARGETS="pcap sack"]
	cargo run --quiet --profile fuzz -p flowstart-fuzz -- --seconds $(SECONDS) $(TARGETS)

fuzz-python: setup ## Fuzz each reader in Python for SECONDS=600 [TARGETS="qlog sweep"]
	$(BIN)/python tests/python/fuzz_readers.py --seconds $(SECONDS) $(TARGETS)

fuzz-commands: setup ## Fuzz each command with -o for SECONDS=600 of a processor [TARGETS="capture map"]
	$(BIN)/python tests/python/fuzz_commands.py --seconds $(SECONDS) $(TARGETS)

field: setup ## Read the captures in DIR=… and compare with capinfos and tshark
	@test -n "$(DIR)" || { echo "field: name a folder of captures: make field DIR=captures" >&2; exit 2; }
	@$(BIN)/python tests/python/field_corpus.py "$(DIR)"

initial-windows: setup ## Measure the initial windows of 200 simulated senders and compare
	@$(BIN)/python tests/python/initial_windows.py

sender-facts: setup ## Measure growth, exit, pacing, idle restart and cc of 240 simulated senders and compare
	@$(BIN)/python tests/python/sender_facts.py

# Outside of the workspace: cargo-fuzz builds everything with its own instrumentation, whose flags a stable compiler
# takes where RUSTC_BOOTSTRAP is set.
fuzz-coverage: export RUSTC_BOOTSTRAP := 1
fuzz-coverage: ## Fuzz each entry point for SECONDS=600 by coverage, with libFuzzer [TARGETS="pcap sack"]
	@cargo fuzz --version >/dev/null 2>&1 || { echo "fuzz-coverage needs cargo-fuzz, and there is none: cargo install --locked cargo-fuzz" >&2; exit 1; }
	@for target in $(or $(TARGETS),$$(cargo fuzz list)); do \
		mkdir -p fuzz/corpus/$$target; \
		seeds=$$(ls -d crates/fuzz/corpus/$$target crates/fuzz/regressions/$$target 2>/dev/null); \
		echo "$$target"; \
		cargo fuzz run $$target fuzz/corpus/$$target $$seeds -- \
			-max_total_time=$(SECONDS) -rss_limit_mb=1024 -timeout=10 -print_final_stats=1 || exit 1; \
	done

miri: ## Run the unit tests of packets and capture readers in Miri (nightly)
	@cargo +nightly miri --version >/dev/null 2>&1 || { echo "miri needs nightly Rust with Miri, and there is none: rustup +nightly component add miri" >&2; exit 1; }
	cargo +nightly miri test -p flowstart-wire --lib
	MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p flowstart-capture --lib -- $(MIRI_SKIP)

wheels: $(PAGE)/.built $(WHEELS)/.installed ## Build wheels for Linux on x86_64 and aarch64, the sdist and an SBOM, into dist
	@command -v rustup >/dev/null || { echo "wheels needs rustup, for the standard library of the other processor" >&2; exit 1; }
	rustup target add $(PLATFORMS)
	rm -rf dist
	$(PICKED) packaging/sbom.py $(SBOM)
	env -u PYO3_PYTHON PATH="$(CURDIR)/$(WHEELS)/bin:$$PATH" $(PICKED) benches/profiles.py sh -ec ' \
		for platform in $(PLATFORMS); do \
			maturin build --release --locked --zig --target $$platform --strip --features abi3,quic \
				--compatibility manylinux2014 --sbom-include $(SBOM) --out dist; \
		done'
	$(WHEELS)/bin/maturin sdist --out dist

release-check: setup $(VENV)/.tools ## Check versions, locks, licences, pages, stability and dist: docs/maintainers/releasing.md
	$(BIN)/python packaging/release_check.py
	@$(MAKE) --no-print-directory check-locks
	PYTHONPATH=tests/python $(BIN)/python tests/python/stability.py && git diff --exit-code --stat tests/data/stability.json
	$(BIN)/pytest -n 2 -m "" $(addprefix tests/python/test_,release.py stability.py workflows.py container.py)
	$(BIN)/pytest -n 2 --dist worksteal -m docs tests/python/test_docs.py
	@$(MAKE) --no-print-directory lint-workflows deny

test-wheel: ## Install dist's wheel without Rust, ask the first questions, measure size and time
	@$(PICKED) packaging/test_wheel.py

test-sdist: ## Build a wheel of dist's sdist in an environment of its own, into out/sdist
	@ls dist/flowstart-*.tar.gz >/dev/null 2>&1 || { echo "test-sdist needs dist/flowstart-*.tar.gz: make wheels" >&2; exit 1; }
	rm -rf out/sdist && $(PICKED) -m venv out/sdist/venv
	env -u PYO3_PYTHON out/sdist/venv/bin/pip wheel --quiet --no-deps --wheel-dir out/sdist dist/flowstart-*.tar.gz
	@ls out/sdist/*.whl

lock: $(WHEELS)/.installed ## Renew the versions and hashes of all Python tools, in requirements/
	$(LOCK) pyproject.toml requirements/run.in -o requirements/run.txt
	$(LOCK) --constraint requirements/run.txt --extra dev pyproject.toml -o requirements/dev.txt
	$(LOCK) --extra docs pyproject.toml -o requirements/docs.txt
	$(LOCK) requirements/wheels.in -o requirements/wheels.txt
	$(LOCK) requirements/node.in -o requirements/node.txt

clean: ## Remove everything that was built, and out/
	rm -rf $(VENV) $(DOCS) $(WHEELS) target out dist $(PAGE) web/node_modules web/built python/flowstart/_native*.so
	find . -name __pycache__ -prune -exec rm -rf {} +

# Made anew where what the package needs changes.
$(VENV)/.made: requirements/run.txt
	@command -v cargo >/dev/null || { echo "setup needs Rust (cargo) $(MSRV) or newer, and there is none: see https://rustup.rs" >&2; exit 1; }
	@test -n "$(PICKED)" || { echo "setup needs Python 3.11 or newer with venv, and there is none (PYTHON=... names one)" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PICKED) --version)"
	@$(if $(UV),uv venv --quiet --clear --python $(PICKED) $(VENV),$(PICKED) -m venv --clear --without-pip $(VENV))
	@touch $@

# What `make demo` needs. The lock files are complete. maturin reads the manifests of all crates, also of those that are
# not built here: cargo fetches them while it builds the others.
$(VENV)/.run: $(VENV)/.made
	@$(if $(UV),,$(BIN)/python -m ensurepip >/dev/null)
	@$(INSTALL) requirements/run.txt
	@$(CARGO) fetch --locked --quiet || true # maturin says why
	@$(COMPILE) $(VENV)/lib || true # some packages have files of other versions of Python
	@touch $@

# What tests need beside it.
$(VENV)/.tools: requirements/dev.txt $(VENV)/.run
	@$(INSTALL) requirements/dev.txt
	@$(COMPILE) $(VENV)/lib tests/python || true
	@touch $@

# What builds wheels and renews lock files: half a gigabyte, most of it zig.
$(WHEELS)/.installed: requirements/wheels.txt
	@test -n "$(PICKED)" || { echo "wheels needs Python 3.11 or newer with venv, and there is none" >&2; exit 1; }
	@$(PICKED) -m venv --clear $(WHEELS)
	@$(WHEELS)/bin/python -m pip install --quiet --no-deps --require-hashes -r $<
	@touch $@

# What the site is built with. It sees .venv's packages too, for notebooks run flowstart itself.
$(DOCS)/.installed: pyproject.toml $(VENV)/.tools
	@echo "Making $(DOCS)"
	@$(BIN)/python -m venv --clear $(DOCS)
	@$(BIN)/python tools/docs/site_venv.py $(VENV) $(DOCS)
	@$(DOCS)/bin/python -m pip install --quiet -r $(DOCS)/requirements.txt
	@touch $@

# What the page is made with, as the lock file says.
web/node_modules/.installed: web/package-lock.json web/package.json $(VENV)/.tools
	$(NPM) ci --silent
	@touch $@

$(PAGE)/.built: web/node_modules/.installed $(WEB)
	$(NPM) run --silent build
	@touch $@

$(ENGINE): $(RUST)
	@echo "Building the page's simulator; it takes some minutes"
	@$(CARGO) build --locked --quiet --profile wasm --target $(WASM) -p flowstart-wasm
	@touch $@

$(STATIC): $(ENGINE) $(PAGE)/.built $(VENV)/.built web/static.py THIRD_PARTY.md
	@$(BIN)/python web/static.py $(ENGINE) $(@D)

# The simulator, while the libraries of Python are installed.
$(VENV)/.crates: $(VENV)/.made $(RUST)
	@echo "Building the simulator; the first time takes a minute"
	@$(CARGO) build --locked --quiet -p flowstart-python
	@touch $@

# The package itself, linked to its sources.
$(VENV)/.built: $(VENV)/.run $(VENV)/.crates pyproject.toml
	@PIP_QUIET=1 $(BIN)/maturin develop --quiet
	@touch $@
