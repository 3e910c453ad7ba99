#!/usr/bin/env bash
# Random programs against the sequential model, random programs of blocking and wide tasks, explanations while tasks come
# and go, and the soak, under a sanitizer, libdvm and the tests instrumented.
#
#   tests/sanitize.sh tsan [MINUTES]     ThreadSanitizer
#   tests/sanitize.sh asan [MINUTES]     AddressSanitizer
#
# Without MINUTES each test runs once: DVM_TEST_CASES (default 400) programs, DVM_SOAK_TASKS (default 300000) tasks. With
# MINUTES they run again and again, with fresh seeds. DVM_TEST_SEED replays one. Ends at the first failure.
#
# The sanitizer's run-time comes with the stable toolchain; RUSTC_BOOTSTRAP lets its flag through. tests/tsan.supp
# names the parts of the standard library, which is not instrumented; nothing of libdvm is suppressed.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
kind=${1:-} minutes=${2:-0}
target=$(rustc -vV | sed -n 's/^host: //p')
case $kind in
    tsan) flags=-Zsanitizer=thread ;;
    # Lanes and levels of slabs live as long as the program, and Rust's test driver leaves a little behind: leaks are what
    # the C tests look for (c-tests/sanitize.sh).
    asan) flags=-Zsanitizer=address ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
case $minutes in *[!0-9]*) echo "MINUTES is $minutes: a whole number" >&2; exit 2 ;; esac
# The flags of cmake/DvmCargo.cmake: with others, libdvm would be compiled once more.
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="$flags -Cunsafe-allow-abi-mismatch=sanitizer"
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp exitcode=66" ASAN_OPTIONS=detect_leaks=0
export DVM_TEST_CASES=${DVM_TEST_CASES:-400} DVM_SOAK_TASKS=${DVM_SOAK_TASKS:-300000}
# Checkers keep freed memory for a while.
export DVM_TEST_SHADOWED=1
end=$((SECONDS + 60 * minutes))
while true; do
    cargo test --release --locked -p dvm --target "$target" --target-dir "target/$kind" \
        --test random_programs --test blocking --test explain --test soak -- --test-threads=1 --nocapture
    [ "$SECONDS" -lt "$end" ] || break
done
