# `make run` tries mainspring, `make test` checks a change, `make proof` checks what takes long.

# `make run PROFILE=dev` builds faster and runs slower.
PROFILE ?= release
LISTEN ?= 127.0.0.1:7070

.PHONY: help run test proof console torture fmt bench-quartz bench-peers bench-console clean

help:
	@echo "make run           build mainspring and start a server with the jobs of examples/"
	@echo "make test          install what the tests need, and check a change: format, lints, tests, documents"
	@echo "make proof         run what takes long; PART=\"sim torture\" runs parts; writes target/proof/report.md"
	@echo "make console       rebuild the web console's bundle; needs Node 20.19 or later"
	@echo "make torture       break nodes and databases for half an hour each, and account for everything"
	@echo "make fmt           format the code"
	@echo "make bench-quartz  time cron expressions beside Quartz, where Java is at hand"
	@echo "make bench-peers   measure plain SQL, Quartz and mainspring side by side on one durable PostgreSQL"
	@echo "make bench-console measure the console: paint, event to pixel, fires beside 50 dashboards over 10 million runs"
	@echo "make clean         remove what was built"

run:
	cargo run --locked --profile $(PROFILE) -p mainspring-cli -- dev --listen $(LISTEN)

test:
	@.ci/steps

console:
	cd console && npm ci --no-audit --no-fund && npm run build

# `make proof PART="sim torture"` runs two parts; `target/debug/xtask affected` names those that a change asks for.
PART ?=

proof:
	@cargo build --locked --release -p mainspring-cli -p mainspring-sim -p xtask
	@target/release/xtask proof $(PART)

# `make torture MINUTES=60 SEED=7` takes more time, and breaks other things.
MINUTES ?= 30
SEED ?= 1

torture:
	@for store in postgres mariadb sqlite; do \
	  cargo run --locked --release -p xtask -- torture --store $$store --minutes $(MINUTES) --seed $(SEED) || exit 1; \
	done

fmt:
	cargo fmt --all

bench-quartz:
	@bench/quartz/run

# `make bench-peers TRIGGERS=20000 SECONDS=10` takes less time.
TRIGGERS ?= 100000
SECONDS ?= 30

bench-peers:
	@cargo build --locked --release -p mainspring-cli
	@cargo run --quiet --locked -p xtask -- bench-peers $(TRIGGERS) $(SECONDS)

# `make bench-console HISTORY=100000 SECONDS=10` takes less time. Needs Node, Chromium and sqlite3.
HISTORY ?= 10000000
JOBS ?= 100000
LINES ?= 1000000
CLIENTS ?= 200
DASHBOARDS ?= 50

bench-console:
	@cargo build --locked --release -p mainspring-cli
	@cd console && npm ci --no-audit --no-fund --loglevel=error && MAINSPRING=$(CURDIR)/target/release/mainspring \
	  HISTORY=$(HISTORY) JOBS=$(JOBS) LINES=$(LINES) CLIENTS=$(CLIENTS) DASHBOARDS=$(DASHBOARDS) SECONDS=$(SECONDS) node bench/run.mjs

clean:
	cargo clean
