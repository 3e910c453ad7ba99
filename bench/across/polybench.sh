#!/usr/bin/env bash
# Runs the kernels of PolyBench/C 4 as sequential programs whose regions run on 2, 3 and 4 processes of this host, and compares
# what each dumps with what it dumps when it is compiled plainly. PolyBench is not part of the project.
#
#   POLYBENCH=DIR bench/across/polybench.sh [KERNEL...]      DIR: where linear-algebra, stencils, utilities, ... lie
#
# A line per kernel: runs, those that differ, those that ran across; bytes from before the region, between tiles, and left
# behind, in the last run that did. The last line counts runs. Ends with 1 if a run differs.
# Settings: DATA (default MINI), the size of the data; SECONDS_EACH (default 60), the longest run; DVMCC, DVMRUN, LIBDVM (default:
# cargo's builds).
set -uo pipefail
export LC_ALL=C
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
[ -n "${POLYBENCH:-}" ] || { echo "left out: POLYBENCH names no folder with PolyBench/C"; exit 0; }
[ -f "$POLYBENCH/utilities/polybench.c" ] || { echo "$POLYBENCH has no utilities/polybench.c" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/$name"; done
export LD_LIBRARY_PATH=$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
settings=("7 block" "3x5x4 cyclic" "1x4x9 cyclic(2),block" "16 block,cyclic")
good=0 wrong=0

# build NAME SOURCE: NAME.plain and NAME.tiled.
build() {
    local name=$1 source=$2
    local flags=(-O2 -std=gnu99 -ffp-contract=off -w -DPOLYBENCH_DUMP_ARRAYS -DPOLYBENCH_USE_C99_PROTO "-D${DATA:-MINI}_DATASET"
        "-I$POLYBENCH/utilities" "-I$(dirname "$source")" "$POLYBENCH/utilities/polybench.c")
    sed -e 's/^#pragma scop/#pragma dvm region across\n{/' -e 's/^#pragma endscop/}/' "$source" >"$work/$name.c"
    "${CC:-cc}" "${flags[@]}" "$source" -o "$work/$name.plain" -lm || return
    timeout 300 "${DVMCC:-$release/dvmcc}" "${flags[@]}" -I"$root/include" "$work/$name.c" -o "$work/$name.tiled" -L"$work" -ldvm -lm \
        2>"$work/$name.messages"
}

# The bytes from before the region, between tiles and left behind, of all processes.
bytes() {
    cat "$work"/errors.* | sed -n 's/.*has sent //p' | awk '{
        for (k = 1; k < NF; k++) if ($(k + 1) == "bytes" && $(k + 2) != "have") sum[($(k + 2) == "from") ? 1 : ($(k + 2) == "in") ? 2 : 3] += $k
    } END { printf "%d %d %d", sum[1], sum[2], sum[3] }'
}

# kernel NAME SOURCE: all runs.
kernel() {
    local name=$1 number setting tile place runs=0 differ=0 across=0 sent="0 0 0"
    build "$name" "$2" || { echo "$name: does not build"; wrong=$((wrong + 1)); return; }
    "$work/$name.plain" 2>"$work/expected"
    # Each process prints into a file of its own.
    printf '#!/bin/sh\nexec %s 2>%s.$DVM_PROCESS\n' "$work/$name.tiled" "$work/errors" >"$work/start"
    chmod +x "$work/start"
    for number in 2 3 4; do
        for setting in "${settings[@]}"; do
            read -r tile place <<<"$setting"
            rm -f "$work"/errors.*
            runs=$((runs + 1))
            if DVM_TUNE=0 DVM_TILE=$tile DVM_PLACE=$place DVM_VERBOSE=1 timeout "${SECONDS_EACH:-60}" "${DVMRUN:-$release/dvmrun}" -n "$number" \
                "$work/start" >/dev/null 2>"$work/log" && grep -v '^libdvm: ' "$work/errors.0" | cmp -s - "$work/expected"; then
                good=$((good + 1))
            else
                differ=$((differ + 1)) wrong=$((wrong + 1))
                echo "$name, $number processes, tiles of $tile, $place: differs, or did not end well"
            fi
            if grep -hq 'has sent' "$work"/errors.*; then across=$((across + 1)) sent=$(bytes); fi
        done
    done
    printf '%-16s %3d runs %3d differ %3d across   bytes %s\n' "$name" $runs $differ $across "$sent"
    grep -h 'own process\|stays sequential' "$work/$name.messages" | sed 's/^[^:]*:[0-9]*:[0-9]*: warning: /    /'
}

mapfile -t sources < <(find "$POLYBENCH" -name '*.c' ! -path '*/utilities/*' ! -name '*.orig.c' | sort)
for source in "${sources[@]}"; do
    name=$(basename "$source" .c)
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    kernel "$name" "$source"
done
echo "$good passed, $wrong failed"
[ $wrong -eq 0 ]
