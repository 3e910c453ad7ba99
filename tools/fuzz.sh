#!/usr/bin/env bash
# Random tests with fresh seeds for as long as asked: loop nests, whole functions and programs from the clauses of the C
# standard through dvm-codegen against the originals (with a tally of what was accepted, refused and discarded), crossed constructs, programs on
# libdvm against the sequential model, programs whose regions run across processes against plain ones, programs of blocking and wide tasks, simulated processes and bytes that are no
# messages, processes of a job that lie, redistributions against brute force.
#
#   tools/fuzz.sh [MINUTES]              (default 10)
#   tools/fuzz.sh --regions N [LEDGER]   (default codegen/tests/LEDGER.md)
#
# With --regions only the whole functions, the programs from the standard and the crossed constructs, on all processors, until N regions have been
# accepted. Seeds begin after the last ones of the ledger, which gets a line for each generator at the end; the runs that
# it adds up stand in target/fuzz/runs.txt.
#
# Ends at the first failure with its output, which names the seed that replays it, and exit status 1.
set -u
cd "$(dirname "$0")/.." || exit 2
usage() { sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
number() { case $1 in '' | *[!0-9]*) usage ;; esac; }

# Seeds of one run: some ten seconds of a processor.
declare -A length=([functions]=384 [standard]=240 [crossings]=96) next=() program=()
# The runs that are under way: what they are, by process.
declare -A running=()
ledger=codegen/tests/LEDGER.md regions=0 accepted=0 different=0

# Finds the test programs, which are built once, and the first seeds that no run of the ledger had.
prepare() {
    local name path
    while read -r name path; do
        program[$name]=$path
    done < <(cargo test --release --locked --workspace --test functions --test standard --test crossings --no-run 2>&1 | tee target/fuzz/build.txt |
        sed -n 's/^ *Executable tests\/\([a-z]*\)\.rs (\(.*\))$/\1 \2/p')
    for name in functions standard crossings; do
        [ -x "${program[$name]:-}" ] || { cat target/fuzz/build.txt; exit 1; }
        next[$name]=$(awk -F'|' -v name="$name" '$2 ~ name && $5 + 0 > last { last = $5 + 0 } END { print last + 1 }' "$ledger")
    done
}

# Starts a run of a generator.
start() {
    local name=$1 first=${next[$1]} count=${length[$1]}
    next[$name]=$((first + count))
    DVM_TEST_FIRST=$first DVM_TEST_CASES=$count DVM_TEST_THREADS=1 DVM_TEST_KEEP=1 DVM_TEST_SHRUNK=1 \
        "$PWD/${program[$name]}" --nocapture random programs_from crossed >"target/fuzz/$name-$first.txt" 2>&1 &
    running[$!]=$name-$first
}

# Adds up a run that has ended: `ledger NAME FIRST LAST REGIONS ACCEPTED DIFFERENT`.
finish() {
    local log=target/fuzz/$1.txt line
    line=$(sed -n 's/^ledger //p' "$log")
    if [ -n "$line" ]; then
        echo "$line" >>target/fuzz/runs.txt
        read -r _ _ _ these those others <<<"$line"
        regions=$((regions + these)) accepted=$((accepted + those)) different=$((different + others))
        echo "$line: in all $accepted of $regions regions accepted, $different different, $SECONDS s"
    fi
    [ "$2" -eq 0 ] && rm -f "$log" && return
    cat "$log"
    echo "failed: $1"
    [ "$different" -gt 0 ] || different=1
}

# Writes a line for each generator; seeds that follow one another are one range.
conclude() {
    local version
    version=$(git rev-parse --short HEAD 2>/dev/null)$(git diff --quiet HEAD -- codegen 2>/dev/null || echo +)
    sort -k1,1 -k2,2n target/fuzz/runs.txt | awk -v version="$version" '
        function out() { if (name) print "| " name " | " version " | " first " | " last " | " r " | " a " | " d " |" }
        $1 != name || $2 != last + 1 { out(); name = $1; first = $2; r = a = d = 0 }
        { last = $3; r += $4; a += $5; d += $6 }
        END { out() }' >>"$ledger"
    [ ${#running[@]} -eq 0 ] || kill "${!running[@]}" 2>/dev/null
    echo "$accepted passed, $different failed"
}

until_accepted() {
    local wanted=$1 turn=0 names=(functions standard crossings) process
    mkdir -p target/fuzz && : >target/fuzz/runs.txt
    [ -f "$ledger" ] || { echo "there is no $ledger" >&2; exit 2; }
    prepare
    trap 'conclude; exit 130' INT TERM
    while [ "$different" -eq 0 ]; do
        while [ "$accepted" -lt "$wanted" ] && [ ${#running[@]} -lt "$(nproc)" ]; do
            start "${names[turn++ % ${#names[@]}]}"
        done
        [ ${#running[@]} -gt 0 ] || break
        wait -n -p process "${!running[@]}"
        local code=$? name=${running[$process]}
        unset "running[$process]"
        finish "$name" "$code"
    done
    trap - INT TERM
    conclude
    [ $((2 * accepted)) -gt "$regions" ] || echo "only $accepted of $regions regions were accepted"
    [ "$different" -eq 0 ] && [ $((2 * accepted)) -gt "$regions" ]
}

unset DVM_TEST_SEED DVM_TEST_FIRST DVM_TEST_CASES
if [ "${1:-}" = --regions ]; then
    number "${2:-}"
    ledger=${3:-$ledger}
    until_accepted "$2"
    exit
fi

minutes=${1:-10}
number "$minutes"
end=$((SECONDS + 60 * minutes)) rounds=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

round() {
    "$@" >"$log" 2>&1 && return
    cat "$log"
    echo "failed after $rounds rounds: $*"
    exit 1
}

# Adds up what became of the regions of functions and programs: seeds, regions, accepted, different.
tally() {
    sed -n '/functions, /,/^ledger/p; /^standard:/,/^ledger/p' "$log"
    while read -r _ _ _ _ these those _; do
        regions=$((regions + these)) accepted=$((accepted + those))
    done < <(grep '^ledger' "$log")
    echo "in all $accepted of $regions regions were accepted"
}

# The whole workspace, as in all other scripts: a choice of packages would be compiled anew, with features of its own.
tests() { round cargo test --release --locked --workspace "$@"; }

first=$(date +%s)
while [ "$SECONDS" -lt "$end" ]; do
    DVM_TEST_FIRST=$first DVM_TEST_CASES=100 tests --test random -- --nocapture random_nests
    DVM_TEST_FIRST=$first DVM_TEST_CASES=1200 tests --test functions -- --nocapture random
    tally
    DVM_TEST_FIRST=$((5 * first)) DVM_TEST_CASES=500 tests --test standard -- --nocapture
    tally
    DVM_TEST_FIRST=$((5 * first)) DVM_TEST_CASES=200 tests --test crossings -- --nocapture
    # These run what `cargo build` has made; other tests do not renew it.
    round cargo build --release --locked --workspace --lib --bins
    DVM_TEST_FIRST=$first DVM_TEST_CASES=60 tests --test random_across -- --nocapture
    DVM_TEST_FIRST=$first DVM_TEST_CASES=96 tests --test fortran -- --nocapture random
    # These begin with a seed of the clock.
    DVM_TEST_CASES=20000 tests --test random_programs -- --nocapture
    DVM_TEST_CASES=20000 tests --test blocking -- --nocapture
    DVM_TEST_FIRST=$((100 * first)) DVM_TEST_CASES=100000 tests --lib -- --nocapture random_programs_come bytes shipments
    DVM_TEST_CASES=40000 tests --test hostile -- --nocapture
    DVM_TEST_CASES=20000 tests --test random -- --nocapture fresh
    rounds=$((rounds + 1)) first=$((first + 1200))
    printf '\r%d rounds, %d s left ' "$rounds" $((end > SECONDS ? end - SECONDS : 0))
done
printf '\n%d passed, 0 failed\n' $((11 * rounds))
