#!/usr/bin/env bash
# Runs many lives, without and with AddressSanitizer; ends with "N passed, M failed". Builds what it needs.
#
#   c-tests/lives/soak.sh [COUNT [FIRST]]     COUNT lives of each kind (default 10000), from the seed FIRST (default: by the time)
#
# Prints the seeds, including those of failed lives: run.sh in this folder says how to replay one, and what DVM_LIFE_JOBS and
# DVM_LIFE_SECONDS are.
set -euo pipefail
export LC_ALL=C
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
count=${1:-10000} first=${2:-$(date +%s)00000}
case $count$first in *[!0-9]*) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
export DVM_LIFE_JOBS=${DVM_LIFE_JOBS:-$(nproc)}

passed=0 failed=0
for kind in plain asan; do
    build=$root/target/c-tests/$kind
    options=(-DDVM_TESTS=ON -DDVM_PROGRAMS=OFF)
    if [ "$kind" = asan ]; then
        options+=(-DDVM_FORTRAN=OFF -DDVM_SANITIZER=address "-DDVM_TARGET_DIR=$root/target/asan")
        export ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=1:allocator_may_return_null=1:halt_on_error=1
        export DVM_LIFE_SECONDS=${DVM_LIFE_SECONDS:-300}
    fi
    cmake -S "$root" -B "$build" "${options[@]}"
    cmake --build "$build" --target test_life
    printf '%s\n' "$kind"
    # Each kind has seeds of its own.
    last=$("$here/run.sh" "$build/c-tests/test_life" "$first" "$count" | tee -a /dev/stderr | tail -n 1) || true
    first=$((first + count))
    read -r p _ f _ <<<"$last"
    passed=$((passed + p)) failed=$((failed + f))
done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
