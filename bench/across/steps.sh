#!/usr/bin/env bash
# What a step of a time loop costs whose arrays stay on the processes (clause `keep`): 2 processes of one worker each, and the same
# loop compiled plainly, in turns.
#
#   bench/across/steps.sh [N...]     N: the arrays have N x N elements (default: 100 400 1000)
#
# A line per N: medians over all rounds, in microseconds, of the plain loop and of 2 processes, with the least and greatest 10 %
# and 90 % quantile of a round; ends with 1 if a checksum differs.
# Settings: ROUNDS (default 5), STEPS (default 1000); CC, DVMCC, DVMRUN, LIBDVM (default: cargo's builds).
set -euo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
steps=${STEPS:-1000}
wrong=0
[ $# -gt 0 ] || set -- 100 400 1000
# summary FILE: median of the medians, least 10 % and greatest 90 % quantile.
summary() { sort -n "$1" | awk '{ m[NR] = $1; if (NR == 1 || $2 < low) low = $2; if ($3 > high) high = $3 }
    END { printf "%.1f (%.1f - %.1f)", m[int((NR + 1) / 2)], low, high }'; }
for n; do
    "${CC:-cc}" -O2 -w "-DN=$n" "$root/bench/across/steps.c" -o "$work/plain"
    "${DVMCC:-$release/dvmcc}" -O2 "-DN=$n" "-I$root/include" "$root/bench/across/steps.c" -o "$work/tiled" "-L$work" -ldvm
    : >"$work/plain.times" && : >"$work/tiled.times"
    for ((round = 0; round < ${ROUNDS:-5}; round++)); do
        timeout 300 "$work/plain" "$steps" >>"$work/plain.times"
        # Two tiles at least, so that both processes have one.
        DVM_TUNE=0 DVM_WORKERS=1 DVM_TILE=$(((n - 1) / 2)) timeout 300 "${DVMRUN:-$release/dvmrun}" -n 2 "$work/tiled" "$steps" >>"$work/tiled.times"
    done
    if [ "$(cut -d' ' -f4 "$work/plain.times" "$work/tiled.times" | sort -u | wc -l)" != 1 ]; then
        echo "$n: the checksums differ" >&2
        wrong=1
    fi
    printf 'n = %5d: plain %s us, 2 processes %s us\n' "$n" "$(summary "$work/plain.times")" "$(summary "$work/tiled.times")"
done
exit $wrong
