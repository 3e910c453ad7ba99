#!/usr/bin/env bash
# Foretells how regions scale over processes, by DVM_FORECAST: jacobi-2d and LU, strong and weak, as tables of docs/scaling.md.
#
#   bench/scaling/scaling.sh [--quick] [OUT]     OUT: a folder for the tables, strong.md and weak.md (default: standard output)
#
# The times of tiles are measured in this process, by kind, with few tiles of the sizes that are foretold; --quick takes 1 us
# for each and small sizes, and makes no statement about time.
# Settings: PROCESSES (default "2 4 ... 1024"), JACOBI_TILE, LU_TILE, SECONDS_EACH (default 600; longest simulation), DVM_PLACE,
# NETWORK (default latency=2,bandwidth=10), DVMCC, LIBDVM (default: cargo's builds).
set -euo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
quick=
[ "${1:-}" != --quick ] || { quick=yes; shift; }
out=${1:-}
network=${NETWORK:-latency=2,bandwidth=10}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} DVM_TUNE=0 DVM_WORKERS=1
for kernel in jacobi_2d lu; do
    "${DVMCC:-$release/dvmcc}" -O3 -march=native -w "-I$root/include" "$root/bench/scaling/$kernel.c" -o "$work/$kernel" "-L$work" -ldvm
done

# The tiles of each kernel, and what is measured of them.
declare -A tiles=([jacobi_2d]=${JACOBI_TILE:-16x128x512} [lu]=${LU_TILE:-256x128x1024}) sample=([jacobi_2d]="4000 100" [lu]=4096)
if [ -z "$quick" ]; then
    for kernel in jacobi_2d lu; do
        # shellcheck disable=SC2086 # the sizes are words
        DVM_TILE=${tiles[$kernel]} DVM_FORECAST=1,clock=cpu,write=$work/$kernel.times "$work/$kernel" ${sample[$kernel]} >"$work/said" 2>&1 ||
            { cat "$work/said" >&2; exit 1; }
    done
fi

# row PROCESSES KERNEL SIZE...: a line of a table.
row() {
    local count=$1 kernel=$2 times
    shift 2
    times=read=$work/$kernel.times
    [ -z "$quick" ] || times=tile=100000
    DVM_TILE=${tiles[$kernel]} DVM_FORECAST="$count,$network,$times" timeout "${SECONDS_EACH:-600}" "$work/$kernel" "$@" \
        >"$work/said" 2>&1 || { cat "$work/said" >&2; echo "| $kernel $* | $count | not foretold in ${SECONDS_EACH:-600} s | | | | | | | |"; return; }
    sed -nE "s/.* would take ([0-9.]+) s: .* take ([0-9.]+) s, efficiency ([0-9.]+); of all time ([0-9.]+) goes into asking.*, ([0-9.]+) into copying, ([0-9.]+) into waiting; most tiles of a process take ([0-9.]+) s; ([0-9]+) bytes in ([0-9]+) messages.*/\
| $kernel $* | $count | \1 | \3 | \4 | \5 | \6 | \7 | \8 | \9 |/p" "$work/said"
}

head='| kernel | processes | seconds | efficiency | asking | copying | waiting | most tiles of a process, s | bytes | messages |
|---|---|---|---|---|---|---|---|---|---|'
read -ra counts <<<"${PROCESSES:-2 4 8 16 32 64 128 256 512 1024}"
shrink=1
[ -z "$quick" ] || { shrink=16 counts=(2 4); tiles=([jacobi_2d]=8x64x128 [lu]=64x32x128); }

strong() {
    echo "$head"
    for count in "${counts[@]}"; do row "$count" jacobi_2d $((16000 / shrink)) $((200 / shrink)); done
    for count in "${counts[@]}"; do row "$count" lu $((32768 / shrink)); done
}

# The same work for each process: the sizes are those of strong scaling at 64 processes.
weak() {
    echo "$head"
    for count in "${counts[@]}"; do row "$count" jacobi_2d "$(size_for 2 16000 "$count" 256)" $((200 / shrink)); done
    for count in "${counts[@]}"; do row "$count" lu "$(size_for 3 32768 "$count" 1024)"; done
}

# size_for ORDER SIZE PROCESSES MULTIPLE: the size for so many.
size_for() {
    awk -v order="$1" -v size="$2" -v count="$3" -v multiple=$(($4 / shrink)) -v shrink=$shrink \
        'BEGIN { print multiple * int(size / shrink * (count / 64) ^ (1 / order) / multiple + 0.5) }'
}

if [ -n "$out" ]; then
    mkdir -p "$out"
    strong >"$out/strong.md"
    weak >"$out/weak.md"
else
    strong
    echo
    weak
fi
