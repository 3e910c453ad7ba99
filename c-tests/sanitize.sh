#!/usr/bin/env bash
# Runs the tests of the C interface under a checker of memory or threads.
#
#   c-tests/sanitize.sh asan        AddressSanitizer and LeakSanitizer, library and tests instrumented
#   c-tests/sanitize.sh tsan        ThreadSanitizer, library and tests instrumented
#   c-tests/sanitize.sh valgrind    memcheck, on the library as it is installed
#
# Each has its own build tree (target/c-tests/asan ...) and cargo directory (target/asan ...). A test that takes longer than
# DVM_TEST_SECONDS (default 300) fails. DVM_TEST_FILTER selects tests like ctest's -R. No report
# about libdvm is suppressed. Exit status 0: nothing was found except the mistakes of canary.c, which must be found.
set -euo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$here/..
kind=${1:-}
build=$root/target/c-tests/$kind
seconds=${DVM_TEST_SECONDS:-300}
options=(-DDVM_TESTS=ON -DDVM_PROGRAMS=OFF -DDVM_FORTRAN=OFF "-DDVM_TEST_SECONDS=$seconds")
export DVM_TEST_SHADOWED=1 # sizes in memory are the checker's

case $kind in
    asan)
        options+=(-DDVM_SANITIZER=address "-DDVM_TARGET_DIR=$root/target/asan")
        # What the tests ask for on purpose: allocations that no machine can satisfy return NULL instead of ending the test.
        export ASAN_OPTIONS=detect_stack_use_after_return=1:detect_leaks=1:allocator_may_return_null=1:halt_on_error=1
        ;;
    tsan)
        options+=(-DDVM_SANITIZER=thread "-DDVM_TARGET_DIR=$root/target/tsan")
        export TSAN_OPTIONS=suppressions=$here/suppressions/tsan.txt:halt_on_error=0:exitcode=66:second_deadlock_stack=1:allocator_may_return_null=1
        ;;
    valgrind)
        launcher="valgrind;--quiet;--error-exitcode=65;--leak-check=full;--show-leak-kinds=definite"
        launcher+=";--errors-for-leak-kinds=definite;--fair-sched=yes;--suppressions=$here/suppressions/valgrind.supp"
        options+=("-DDVM_TEST_LAUNCHER=$launcher")
        ;;
    *)
        sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
        exit 2
        ;;
esac

cmake -S "$root" -B "$build" "${options[@]}"
cmake --build "$build"
ctest --test-dir "$build" --output-on-failure --parallel 2 ${DVM_TEST_FILTER:+-R "$DVM_TEST_FILTER"}
