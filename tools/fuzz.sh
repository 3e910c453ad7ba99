#!/usr/bin/env bash
# Random tests with fresh seeds for as long as asked: loop nests, whole functions and programs from the clauses of the C
# standard through dvm-codegen against the originals (with a tally of what was accepted, refused and discarded), programs on
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

# Adds up what became of the regions of whole functions: seeds, regions, accepted, different.
regions=0 accepted=0
ledger() {
    sed -n '/functions, /,/^ledger/p' "$log"
    while read -r _ _ _ _ these those _; do
        regions=$((regions + these)) accepted=$((accepted + those))
    done < <(grep '^ledger functions' "$log")
    echo "in all $accepted of $regions regions of functions were accepted"
}

export DVM_TEST_FIRST
DVM_TEST_FIRST=$(date +%s)
while [ "$SECONDS" -lt "$end" ]; do
    round cargo test --release --locked -p dvm-codegen --test random -- --nocapture
    DVM_TEST_CASES=1200 round cargo test --release --locked -p dvm-codegen --test functions -- --nocapture random
    ledger
    DVM_TEST_FIRST=$((5 * DVM_TEST_FIRST)) DVM_TEST_CASES=500 round cargo test --release --locked -p dvm-codegen --test standard -- --nocapture
    grep -A40 '^standard:' "$log" | grep '^standard\|^  '
    round cargo test --release --locked -p dvm --test random_programs -- --nocapture
    round cargo test --release --locked -p dvm --test blocking -- --nocapture
    round cargo test --release --locked -p redist --test random -- --nocapture
    rounds=$((rounds + 1)) DVM_TEST_FIRST=$((DVM_TEST_FIRST + 1200))
    printf '\r%d rounds, %d s left ' "$rounds" $((end > SECONDS ? end - SECONDS : 0))
done
printf '\n%d passed, 0 failed\n' $((6 * rounds))
