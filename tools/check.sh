#!/usr/bin/env bash
# Runs every test of the project, step by step, and closes with "N passed, M failed".
# Usage: tools/check.sh [STEP ...]   (no step: all of `steps`, in this order; `make check-mpi` runs the steps mpi_*)
# A step that takes longer than DVM_CHECK_LIMIT seconds (1,200; cargo 2,700; mpi_several and mpi_hosts 5,400) is ended; what it was
# doing is printed, and it has failed.
set -u
cd "$(dirname "$0")/.." || exit 2
log=${DVM_CHECK_LOGS:-target/check}
mkdir -p "$log"
# Steps that only succeed or fail; any other says how many tests it ran.
whole=' format lint plugins demo '

steps=(format lint plugins cargo units planted readme loom packages c aarch64 consumers deb examples sweep howto gdb demo bench foreign valgrind asan tsan)

# there_is COMMAND COMPONENT: whether cargo has it; where the toolchain lacks the component, the step is left out by name.
there_is() {
  cargo "$1" --version >/dev/null 2>&1 && return
  echo "left out: cargo $1 (rustup component add $2)"
  return 1
}
run_format() { there_is fmt rustfmt || return 0; cargo fmt --all --check; }
run_lint() { there_is clippy clippy || return 0; cargo clippy --release --locked --workspace --all-targets -- -D warnings; }
# Before `cargo`, whose tests of the plugins are left out by name where there is no MPI.
run_plugins() {
  { ! there_is fmt rustfmt || (cd plugin && cargo fmt --check); } && tools/plugins.sh --optional && {
    local mpicc
    there_is clippy clippy || return 0
    mpicc=$(command -v mpicc.openmpi || command -v mpicc) || return 0
    MPICC=$mpicc cargo clippy --release --locked --manifest-path plugin/Cargo.toml --target-dir target/plugins/lint -- -D warnings
  }
}
run_cargo() {
  cargo build --release --locked --workspace --lib --bins && cargo test --release --locked --workspace --no-fail-fast
}
run_units() { make --no-print-directory units; }
# Defects of the past, put back. What is built without them stands in target/release again afterwards.
run_planted() {
  cargo test --release --locked --workspace --features dvm-codegen/planted --test planted
  local code=$?
  cargo build --release --locked --workspace --lib --bins && return "$code"
}
run_loom() { make --no-print-directory loom-sound; }
run_packages() { tools/packages_test.sh && tools/ldconfig_test.sh && tools/check_test.sh; }
run_readme() { tools/readme.sh check && tools/docs.sh check; }
run_c() { c-tests/run.sh && c-tests/several/run.sh && c-tests/several/process0.sh && c-tests/mpi/run.sh && run_c_by_mpi; }
# A part of step mpi_several: bytes that only MPI moves.
run_c_by_mpi() {
  DVM_TEST_MPIS="openmpi mpich" DVM_TEST_RINGS=0 DVM_TEST_PROCESSES=2 c-tests/several/run.sh cholesky getput next promises remote_data
}
run_aarch64() { c-tests/aarch64/run.sh; }
run_consumers() { c-tests/consumers/run.sh; }
run_deb() { packaging/deb.sh test && python3 packaging/check.py; }
run_examples() { examples/run.sh && examples/trace.sh; }
run_sweep() { examples/sweep.sh; }
run_howto() { tools/howto.sh; }
run_gdb() { tools/gdb/test.sh; }
run_demo() { target/release/dvm-demo --shrink 20 --runs 1 --out target/check/demo; }
run_bench() { target/release/dvm-bench --quick && target/release/dvm-bench-bodies --quick && target/release/dvm-bench-redist --quick && target/release/dvm-bench-transport --quick && target/release/dvm-bench-several --quick && bench/scaling/scaling.sh --quick; }
run_foreign() { tools/foreign.sh; }
run_valgrind() { c-tests/sanitize.sh valgrind; }
run_asan() { sanitized asan; }
run_tsan() { sanitized tsan; }
# What is run once is not optimised over all its parts.
sanitized() { (export CARGO_PROFILE_RELEASE_LTO=off && c-tests/sanitize.sh "$1" && tests/sanitize.sh "$1"); }

# Over each MPI that tools/mpis.sh finds: the transport, programs with an MPI of their own, programs without, several hosts.
run_mpi_transport() { DVM_TEST_MPI=all cargo test --release --locked --workspace --test mpi -- --nocapture --test-threads=1; }
run_mpi_programs() { DVM_TEST_MPIS=$(all_mpis) c-tests/mpi/run.sh; }
# Bytes that the MPI moves; those of rings, which no MPI touches, have been with dvmrun, and with each MPI in mpi_programs.
run_mpi_several() { DVM_TEST_PROCESSES="2 4" DVM_TEST_RINGS=0 DVM_TEST_MPIS=$(all_mpis) c-tests/several/run.sh; }
# Plugins that were built by the other MPIs of the same family.
run_mpi_plugins() {
  local by compiler names
  for by in openmpi5 mpich5 intel; do
    compiler=$(tools/mpis.sh compiler $by) || { echo "left out: a plugin by $by (it is not there)" && continue; }
    tools/plugins.sh --into "target/mpi/by-$by" "$compiler" || return
    [ $by = openmpi5 ] && names="openmpi openmpi5" || names="mpich mpich5 intel"
    DVM_PLUGIN_DIR=$PWD/target/mpi/by-$by DVM_TEST_MPIS=$names c-tests/mpi/run.sh beside split || return
  done
}
# Processes are killed under ULFM.
run_mpi_ulfm() { c-tests/several/ulfm.sh "${DVM_TEST_KILLS:-10}"; }
run_mpi_hosts() {
  c-tests/mpi/hosts.sh && DVM_TEST_MPIS="openmpi5 mpich5-abi intel intel-abi" DVM_TEST_HOSTS_DELAYS=2:0:2 c-tests/mpi/hosts.sh cholesky promises remote_data
}
all_mpis() { tools/mpis.sh list all 2>/dev/null | tr '\n' ' '; }

# Adds up what a step's output says: cargo's and ctest's closing lines, and "N passed, M failed" of our scripts. Third, how many such
# lines there were.
count() {
  awk '
    /^test result: /             { n++; for (i = 1; i < NF; i++) { if ($(i + 1) ~ /^passed/) p += $i; if ($(i + 1) ~ /^failed/) f += $i } next }
    /tests passed, .* tests failed out of / { n++; f += $4; p += $NF - $4; next }
    /^[0-9]+ passed, [0-9]+ failed/ { n++; p += $1; f += $3 }
    END { print p + 0, f + 0, n + 0 }' "$1"
}

# What failed, by name: tests of cargo with the words of their panic, errors of compilers, and the FAILED lines of our scripts.
failures() {
  awk '/^test .* FAILED$/ || /^FAILED/ || /Failed  / || /^error/ { print }
    /^---- .* stdout ----$/ { inside = 1 }
    inside && / panicked at / { print; said = 2; inside = 0 }
    said && --said == 0 { print "  " $0 }' "$1" | head -n 20 | cut -c -200
}

# The process and all that it has started, by id: `timeout` and MPIs put theirs into process groups of their own.
family() {
  ps -e -o pid=,ppid= | awk -v first="$1" '
    { parent[$1] = $2 }
    END {
      member[first] = 1
      do {
        grown = 0
        for (pid in parent) if (!(pid in member) && (parent[pid] in member)) { member[pid] = 1; grown = 1 }
      } while (grown)
      for (pid in member) print pid
    }'
}

# The processes of a step that hangs, and where those that have run for a minute wait.
hanging() {
  local members pid seconds
  members=$(family "$1" | paste -sd,)
  echo "FAILED: $2 took more than $3 seconds and was ended; it was running:"
  ps -o pid=,etimes=,stat=,wchan:20=,args= -p "$members" | cut -c -200
  command -v gdb >/dev/null || return 0
  while read -r pid seconds; do
    [ "$seconds" -ge 60 ] && timeout 60 gdb -p "$pid" -batch -ex 'thread apply all backtrace 12' 2>/dev/null | grep -E '^(Thread|#)' | cut -c -160 | head -n 100
  done < <(ps -o pid=,etimes=,comm= -p "$members" | awk '$3 !~ /^(bash|sh|make|cargo|timeout|sleep|mpirun|mpiexec.*)$/ { print $1, $2 }')
}

# Runs a step in a process group of its own, which is ended at its limit.
run_limited() {
  local step=$1 limit=1200 group guard code
  case $step in
    cargo) limit=2700 ;;
    mpi_several | mpi_hosts) limit=5400 ;;
  esac
  limit=${DVM_CHECK_LIMIT:-$limit}
  set -m
  "run_$step" >"$log/$step.log" 2>&1 </dev/null &
  group=$!
  {
    sleep "$limit"
    local members
    mapfile -t members < <(family "$group")
    hanging "$group" "$step" "$limit" >"$log/$step.hang" 2>&1
    kill -TERM -- "-$group" "${members[@]}"
    sleep 5
    kill -KILL -- "-$group"
  } >/dev/null 2>&1 &
  guard=$!
  set +m
  wait "$group"
  code=$?
  if [ -e "$log/$step.hang" ]; then
    wait "$guard"
    cat "$log/$step.hang" >>"$log/$step.log"
    code=1
  fi
  kill -TERM -- "-$guard" 2>/dev/null
  return "$code"
}

[ $# -gt 0 ] && steps=("$@")
passed=0 failed=0 broken=()
for step in "${steps[@]}"; do
  began=$SECONDS
  printf '== %s\n' "$step"
  rm -f "$log/$step.hang"
  run_limited "$step" 2>/dev/null
  code=$?
  read -r p f counts < <(count "$log/$step.log")
  [ "$code" -ne 0 ] && [ "$f" -eq 0 ] && f=1
  if [ "$code" -eq 0 ] && [ "$counts" -eq 0 ]; then
    case $whole in
      *" $step "*) [ "$step" != plugins ] && grep -q '^left out: cargo ' "$log/$step.log" || p=1 ;;
      *) f=1 && echo "FAILED: $step did not say how many tests it ran" >>"$log/$step.log" ;;
    esac
  fi
  if [ "$f" -gt 0 ]; then
    broken+=("$step")
    tail -n 60 "$log/$step.log"
    grep -E 'has been running for over' "$log/$step.log" | sort -u
  fi
  grep '^left out: cargo ' "$log/$step.log" | sed 's/^/   /'
  printf '   %s: %d passed, %d failed, %d s\n' "$step" "$p" "$f" $((SECONDS - began))
  passed=$((passed + p)) failed=$((failed + f))
done
for step in "${broken[@]}"; do failures "$log/$step.log"; done
[ ${#broken[@]} -gt 0 ] && printf 'failed: %s (whole output in %s)\n' "${broken[*]}" "$log"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
