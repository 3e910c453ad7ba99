#!/usr/bin/env bash
# Random programs against the sequential model, and explanations while tasks run, under ThreadSanitizer: libdvm and the tests
# instrumented.
#
#   tests/tsan.sh        DVM_TEST_PROGRAMS (default 400) programs; DVM_TEST_SEED replays one
#
# The sanitizer's run-time comes with the stable toolchain; RUSTC_BOOTSTRAP lets its flag through. tests/tsan.supp
# names the parts of the standard library, which is not instrumented; nothing of libdvm is suppressed.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
target=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1 RUSTFLAGS='-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer'
export TSAN_OPTIONS="suppressions=$PWD/tests/tsan.supp exitcode=66"
export DVM_TEST_PROGRAMS=${DVM_TEST_PROGRAMS:-400}
exec cargo test --release --locked -p dvm --target "$target" --target-dir target/tsan --test random_programs --test explain -- --test-threads=1
