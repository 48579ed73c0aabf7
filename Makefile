# Two commands: `make run` to try mainspring, `make test` to check everything.

# `make run PROFILE=dev` builds faster and runs slower.
PROFILE ?= release
LISTEN ?= 127.0.0.1:7070

.PHONY: help run test fmt bench-quartz bench-peers clean

help:
	@echo "make run           build mainspring and start a server with the jobs of examples/"
	@echo "make test          install what the tests need and run everything"
	@echo "make fmt           format the code"
	@echo "make bench-quartz  time cron expressions beside Quartz, where Java is at hand"
	@echo "make bench-peers   measure plain SQL, Quartz and mainspring side by side on one durable PostgreSQL"
	@echo "make clean         remove what was built"

run:
	cargo run --locked --profile $(PROFILE) -p mainspring-cli -- dev --listen $(LISTEN)

test:
	@.ci/steps

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

clean:
	cargo clean
