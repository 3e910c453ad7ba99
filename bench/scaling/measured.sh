#!/usr/bin/env bash
# Compares forecasts with runs of 2 and 4 processes on this host, for jacobi-2d and LU whose iterations sleep: processes that sleep
# need no processors of their own.
#
#   bench/scaling/measured.sh
#
# A line per kernel, placement and number of processes: the efficiency foretold and measured, medians of ROUNDS (default 3), and their
# ratio; ends with 1 if they differ by more than 10 %. Efficiency is the time of all naps, as long as they took, over that of all
# processes: so it does not matter much that a busy machine wakes sleepers late.
# Settings: ROUNDS; DVMCC, DVMRUN, LIBDVM (default: cargo's builds).
set -euo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} DVM_TUNE=0 DVM_WORKERS=1
"${CC:-cc}" -O2 -c "$root/bench/scaling/nap.c" -o "$work/nap.o"
for kernel in jacobi_2d lu; do
    "${DVMCC:-$release/dvmcc}" -O2 -w -DNAPS "-I$root/include" "$root/bench/scaling/$kernel.c" "$work/nap.o" -o "$work/$kernel" "-L$work" -ldvm
done
median() { sort -n "$1" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
wrong=0

# compare TILE PLACE KERNEL SIZE...
compare() {
    local tile=$1 place=$2 count round ratio
    shift 2
    for count in 2 4; do
        : >"$work/foretold" && : >"$work/measured"
        for ((round = 0; round < ${ROUNDS:-3}; round++)); do
            DVM_TILE=$tile DVM_PLACE=$place DVM_FORECAST=$count timeout 100 "$work/$1" "${@:2}" 2>&1 >/dev/null |
                sed -nE 's/.* efficiency ([0-9.]+);.*/\1/p' >>"$work/foretold"
            DVM_TILE=$tile DVM_PLACE=$place timeout 100 "${DVMRUN:-$release/dvmrun}" -n "$count" "$work/$1" "${@:2}" >"$work/out" 2>"$work/err"
            awk -v count="$count" -v time="$(cut -d' ' -f1 "$work/out")" '/^napped/ { sum += $2 } END { print sum / count / time }' \
                "$work/err" >>"$work/measured"
        done
        ratio=$(awk -v a="$(median "$work/foretold")" -v b="$(median "$work/measured")" 'BEGIN { printf "%.3f", a / b }')
        printf '%s, tiles %s, %s, %d processes: efficiency foretold %.3f, measured %.3f, ratio %s\n' "$*" "$tile" "$place" "$count" \
            "$(median "$work/foretold")" "$(median "$work/measured")" "$ratio"
        awk -v ratio="$ratio" 'BEGIN { exit !(ratio > 0.9 && ratio < 1.1) }' || wrong=1
    done
}

compare 1x2x3 block jacobi_2d 9 2
compare 1x2x3 cyclic jacobi_2d 9 2
compare 2 cyclic lu 9
compare 2x1x3 block lu 9
exit $wrong
