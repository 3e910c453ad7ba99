# The front door. `make help` says what there is.
PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
MINUTES ?= 10
LIVES ?= 10000
CMAKE_BUILD ?= target/cmake
MANIFEST ?= target/install_manifest.txt
# The models run for seconds and compile for minutes: hardly optimised.
LOOM = RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
	$(CARGO) test --release --locked -p dvm --lib --config profile.release.package.dvm.opt-level=0 \
	--config profile.release.package.redist.opt-level=0

# They run for half a minute and are compiled for minutes. Checked: also for overflows, which the library does not look for.
UNITS = $(CARGO) test --release --locked -p dvm --lib --config profile.release.package.dvm.opt-level=1 \
	--config profile.release.package.dvm.debug=false --config profile.release.package.dvm.debug-assertions=true \
	--config profile.release.package.dvm.overflow-checks=true

.PHONY: help all plugins demo first-build check check-mpi docs deb deb-chroot install install-debug install-static uninstall header abi loom loom-sound units soak fuzz bench packages packages-check packages-test packages-fortran packages-bench clean

help: ## what each target does
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile
	@echo '  Settings: PREFIX (/usr/local), DESTDIR (empty), MINUTES (10), LIVES (10000), CARGO (cargo), BENCH (options of dvm-bench)'

all: packages ## build the library, dvm-codegen, dvmcc, dvmfc, dvm-info and dvmrun, and a plugin for each MPI that is there (target/release)
	$(CARGO) build --release --locked --workspace --lib --bins
	tools/plugins.sh --optional

plugins: ## build a plugin for each MPI whose compiler is there (mpicc.openmpi, mpicc.mpich, mpicc_abi, or MPICC)
	tools/plugins.sh

# A third fewer crates than `all`, with the same features: what is built here, `all` does not build again. cargo leaves a library that
# it was not asked for in deps; asked for libraries, it would build those of the tests too.
demo: first-build packages ## run the examples by pragma at real sizes against the plain compiler; writes target/demo/
	$(CARGO) build --release --locked --workspace --bin dvm-demo --bin dvm-codegen --bin dvmcc
	ln -f target/release/deps/libdvm.so target/release/libdvm.so
	target/release/dvm-demo

first-build:
	@[ -x target/release/dvm-demo ] || printf '%s\n' 'First build: downloads 11 MB of crates and the packages of packages.txt that are missing (of a bare Debian 12' \
		'all: 180 MB, 0.9 GB on disk), and writes 0.8 GB into target. On 2 cores it takes 3 minutes, and the packages 1. The demonstration takes a minute more.'

check: packages packages-check ## all tests; ends with a line "N passed, M failed"
	tools/check.sh

docs: ## build the book as HTML (target/book) where mdbook is there, and pages of the headers (target/reference) where doxygen is; docs/SUMMARY.md lists the chapters, which read well as they are
	@tools/docs.sh build

check-mpi: all packages-test ## over each MPI, of Debian and of PyPI: all levels, 2 and 4 processes, 1 to 4 hosts (as root)
	tools/mpis.sh install
	tools/mpis.sh list all
	tools/check.sh mpi_transport mpi_programs mpi_several mpi_plugins mpi_ulfm mpi_hosts

packages: ## install the system packages that are missing (packages.txt), or print the command
	@tools/packages.sh

bench: all ## measure what a task costs, and how fast tiles are, beside the peers that are installed; writes target/bench/tasks.json (BENCH: options)
	target/release/dvm-bench $(BENCH)
	target/release/dvm-bench-bodies
	target/release/dvm-bench-redist
	bench/redist/over_processes.sh
	bench/comparison.sh
	bench/polybench/times.sh
	bench/polybench/bits.sh
	bench/across/polybench.sh
	bench/across/steps.sh
	bench/scaling/scaling.sh
	target/release/dvm-bench-transport
	target/release/dvm-bench-several

packages-check: ## install what only the tests need (packages-check.txt)
	@DVM_PACKAGES=packages-check.txt tools/packages.sh

packages-test: ## install the MPIs that the tests of the plugins need (packages-test.txt)
	@DVM_PACKAGES=packages-test.txt tools/packages.sh

packages-fortran: ## install what dvmfc reads Fortran with (packages-fortran.txt); without it regions of Fortran stay sequential
	@DVM_PACKAGES=packages-fortran.txt tools/packages.sh

packages-bench: ## install the peers that `make bench` compares with (packages-bench.txt)
	@DVM_PACKAGES=packages-bench.txt tools/packages.sh

# Under sudo, or without cargo, what was built before is installed as it is.
BUILT = $(and $(wildcard target/release/libdvm.so),$(wildcard target/release/dvmcc),$(or $(SUDO_USER),$(if $(shell command -v $(CARGO)),,none)))

install: $(if $(BUILT),,all) ## install into $(DESTDIR)$(PREFIX): library, headers, Fortran module, CMake and pkg-config files, dvmcc, dvmfc, dvm-info, dvmrun, completions; under sudo without building again
	cmake -S . -B $(CMAKE_BUILD)$(if $(BUILT),-built) -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DDVM_BUILT=$(if $(BUILT),ON,OFF)
	cmake --build $(CMAKE_BUILD)$(if $(BUILT),-built)
	DESTDIR=$(DESTDIR) cmake --install $(CMAKE_BUILD)$(if $(BUILT),-built)
	cp $(CMAKE_BUILD)$(if $(BUILT),-built)/install_manifest.txt $(MANIFEST)
	tools/ldconfig.sh $(MANIFEST) "$(DESTDIR)"

install-debug: ## install libdvm's debug information beside it, which the commands for gdb read; after `make install`, with the same PREFIX
	DESTDIR=$(DESTDIR) cmake --install $(CMAKE_BUILD)$(if $(BUILT),-built) --component Debug
	(echo; cat $(CMAKE_BUILD)$(if $(BUILT),-built)/install_manifest_Debug.txt) >>$(MANIFEST)

STATIC = $(CMAKE_BUILD)$(if $(BUILT),-built)

install-static: ## build libdvm.a and install it, for programs that run without libdvm.so; after `make install`, with the same PREFIX (docs/host-programs.md)
	$(CARGO) build --release --locked --workspace --lib --bins --example dvm_static
	cmake -DFROM=target/release/examples/libdvm_static.a -DSHARED=target/release/libdvm.so -DINTO=$(STATIC) -P cmake/static.cmake
	DESTDIR=$(DESTDIR) cmake --install $(STATIC) --component Static
	(echo; cat $(STATIC)/install_manifest_Static.txt) >>$(MANIFEST)

deb: all ## make Debian packages of what was built, in target/deb (packaging/README.md)
	packaging/deb.sh build

deb-chroot: ## make the Debian packages in a clean Debian 12 without a network, and use them in a fresh one (as root, with debootstrap; it builds all)
	packaging/chroot.sh

uninstall: ## remove what the last `make install` has put into $(DESTDIR)$(PREFIX)
	tools/uninstall.sh $(MANIFEST) "$(DESTDIR)"
	tools/ldconfig.sh $(MANIFEST) "$(DESTDIR)"

header: ## write include/dvm.h, include/dvm.f90, docs/reference.md, docs/environment.md, the man pages and the completions of shells anew from the Rust sources
	DVM_BLESS=1 $(CARGO) test --release --quiet --workspace --lib --bins --test drift up_to_date

abi: ## record the binary interface of dvm.h, against which later headers are compared (docs/abi.md)
	c-tests/abi/dump.sh include/dvm.h c-tests/abi/libdvm.so.0

units: ## the unit tests of libdvm, with its debug assertions and checks of overflow
	$(UNITS)

loom-sound: ## model-check the lock-free structures, and the protocols of src/idle and src/transport
	$(LOOM) -- model

loom: loom-sound ## the same, and show that the models find each defect that is put back
	$(LOOM) --features planted -- models::

soak: packages ## 10^9 tasks, or MINUTES of them: right results, flat memory; then random programs under TSan and ASan, MINUTES (10) each; LIVES (10,000) random lives, plain and under ASan; 1,000 killed processes, 100 stopped ones; 400 jobs that recover from a kill; 10^7 tasks on another process
	$(if $(filter command% environment,$(origin MINUTES)),DVM_SOAK_MINUTES=$(MINUTES),DVM_SOAK_TASKS=1000000000) \
		$(CARGO) test --release --locked --workspace --test soak -- --nocapture
	$(CARGO) test --release --locked --workspace --lib -- --ignored --nocapture long_no_interleaving
	DVM_TEST_CASES=1000000 $(CARGO) test --release --locked --workspace --lib -- --nocapture random_programs_come
	tests/sanitize.sh tsan $(MINUTES)
	tests/sanitize.sh asan $(MINUTES)
	c-tests/lives/soak.sh $(LIVES)
	DVM_TEST_KILLS=1000 DVM_TEST_STOPS=100 $(CARGO) test --release --locked --workspace --test transport --test killed -- --nocapture
	DVM_TEST_KILLS=100 c-tests/several/run.sh recovery
	DVM_TEST_FLAT=10000000 DVM_TEST_PROCESSES=2 DVM_TEST_SECONDS=7200 c-tests/several/run.sh flat

fuzz: packages ## random tests with fresh seeds for MINUTES (10), or until REGIONS were turned into tiles, for the ledger
	tools/fuzz.sh $(if $(REGIONS),--regions $(REGIONS),$(MINUTES))

clean: ## remove everything that was built, the plugins too
	$(CARGO) clean
