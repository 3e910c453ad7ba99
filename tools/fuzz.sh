#!/usr/bin/env bash
# Random tests with fresh seeds for as long as asked: loop nests through dvm-codegen against the original loops, programs
# from the clauses of the C standard around regions (with a tally of what was accepted, refused and discarded), programs on
# libdvm against the sequential model, programs of blocking and wide tasks, redistributions against brute force.
#
#   tools/fuzz.sh [MINUTES]      (default 10)
#
# Ends at the first failure with its output, which names the seed that replays it, and exit status 1.
set -u
cd "$(dirname "$0")/.." || exit 2
minutes=${1:-10}
case $minutes in '' | *[!0-9]*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
end=$((SECONDS + 60 * minutes)) rounds=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
unset DVM_TEST_SEED REDIST_SEED
export DVM_TEST_CASES=100 DVM_TEST_PROGRAMS=20000 REDIST_CASES=20000

round() {
    "$@" >"$log" 2>&1 && return
    cat "$log"
    echo "failed after $rounds rounds: $*"
    exit 1
}

export DVM_TEST_FIRST
DVM_TEST_FIRST=$(date +%s)
while [ "$SECONDS" -lt "$end" ]; do
    round cargo test --release --locked -p dvm-codegen --test random -- --nocapture
    DVM_TEST_FIRST=$((5 * DVM_TEST_FIRST)) DVM_TEST_CASES=500 round cargo test --release --locked -p dvm-codegen --test standard -- --nocapture; grep -A40 '^standard:' "$log" | grep '^standard\|^  '
    round cargo test --release --locked -p dvm --test random_programs -- --nocapture
    round cargo test --release --locked -p dvm --test blocking -- --nocapture
    round cargo test --release --locked -p redist --test random -- --nocapture
    rounds=$((rounds + 1)) DVM_TEST_FIRST=$((DVM_TEST_FIRST + DVM_TEST_CASES))
    printf '\r%d rounds, %d s left ' "$rounds" $((end > SECONDS ? end - SECONDS : 0))
done
printf '\n%d passed, 0 failed\n' $((5 * rounds))
