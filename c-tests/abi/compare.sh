#!/usr/bin/env bash
# Compares the binary interface of dvm.h with that of the previous version (libdvm.so.0.abi and .constants beside this script):
# functions, codes and macros may be added and pointers become const; nothing else may change (docs/abi.md). Then repeats this for
# headers with planted changes: it must find the forbidden ones and accept the others.
#
#   c-tests/abi/compare.sh HEADER
#
# Ends with 77, "skipped", without abidw and abidiff (Debian: abigail-tools).
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
header=${1:?dvm.h} previous=$here/libdvm.so.0
for tool in abidw abidiff; do
    command -v $tool >/dev/null || { echo "abi: skipped, $tool is missing (Debian: apt install abigail-tools)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failures=0

# compatible HEADER: whether programs built for the previous version run with a library of this header.
compatible() {
    "$here/dump.sh" "$1" "$work/now" || return
    abidiff --no-added-syms "$previous.abi" "$work/now.abi" || return
    comm -23 "$previous.constants" "$work/now.constants" | grep . && return 1
    return 0
}

# judge WHAT EXPECTED CODE
judge() {
    count=$((count + 1))
    { [ "$2" = found ] && [ "$3" -ne 0 ]; } || { [ "$2" = allowed ] && [ "$3" -eq 0 ]; } && return
    failures=$((failures + 1))
    echo "FAILED $1 is not $2"
    sed 's/^/    | /' "$work/log"
}

# plant EXPECTED WHAT SED_SCRIPT
plant() {
    sed "$3" "$header" >"$work/planted.h"
    if cmp -s "$header" "$work/planted.h"; then
        judge "$2: nothing was planted, which" allowed 1
        return
    fi
    compatible "$work/planted.h" >"$work/log" 2>&1
    judge "$2" "$1" $?
}

compatible "$header" >"$work/log" 2>&1
judge "what changed since the previous version" allowed $?

plant found "a parameter of another type" 's/dvm_rank_dimension(int \*/dvm_rank_dimension(long */'
plant found "a function that is gone" 's/^dvm_retcode_t dvm_wait(void);//'
plant found "a field in the middle of a structure" 's/^    int64_t target_memories;/    int64_t extra;\n&/'
plant found "a field at the end of a structure" 's/^    int64_t least_load;/&\n    int64_t extra;/'
plant found "a callback of another type" 's/int64_t (\*predecessors)(void/int (*predecessors)(void/'
plant found "a code of another value" 's/DVM_ERR_RANK = 4/DVM_ERR_RANK = 40/'
plant found "a handle of two numbers" '/^} dvm_dma_t;/s/^/uint64_t second; /'
plant found "an id of three numbers" 's/uint64_t dvm_data_id_t\[2\]/uint64_t dvm_data_id_t[3]/'
plant found "a macro of another value" 's/define DVM_MAX_RANK_DEPTH 8/define DVM_MAX_RANK_DEPTH 9/'
plant allowed "a new function" 's/^dvm_retcode_t dvm_wait(void);/&\ndvm_retcode_t dvm_new(int number);/'
plant allowed "a new code" 's/DVM_ERR_PANIC = 18,/& DVM_ERR_NEW = 19,/'
plant allowed "a new macro" 's/^#define DVM_OUT 1/&\n#define DVM_NEW 2/'

echo "abi: $((count - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
