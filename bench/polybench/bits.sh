#!/usr/bin/env bash
# Compares what the kernels of PolyBench/C 4 as shipped dump when dvmcc has compiled them with what they dump when they are
# compiled plainly: tiles of 1, 7, 32 and 64 and those that the model chooses, 1, 2 and 5 workers, without contraction, without
# measuring. PolyBench is not part of the project.
#
#   POLYBENCH=DIR bench/polybench/bits.sh [KERNEL...]      DIR: where linear-algebra, stencils, utilities, ... lie
#
# A line per kernel; the last line counts runs. Ends with 1 if a run differs.
# Settings: DATA (default SMALL), the size of the data; SECONDS_EACH (default 60), the longest run; DVMCC, LIBDVM (default:
# cargo's builds); TILES and WORKERS, lists; TILES without numbers: "model".
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
good=0 wrong=0

# build NAME SOURCE: NAME.plain and NAME.tiled.
build() {
    local name=$1 source=$2
    local flags=(-O2 -march=native -std=gnu99 -ffp-contract=off -w -DPOLYBENCH_DUMP_ARRAYS -DPOLYBENCH_USE_C99_PROTO
        "-D${DATA:-SMALL}_DATASET" "-I$POLYBENCH/utilities" "-I$(dirname "$source")" "$source" "$POLYBENCH/utilities/polybench.c")
    "${CC:-cc}" "${flags[@]}" -o "$work/$name.plain" -lm || return
    timeout 300 "${DVMCC:-$release/dvmcc}" "${flags[@]}" -I"$root/include" -o "$work/$name.tiled" -L"$work" -ldvm -lm \
        2>"$work/$name.messages"
}

# kernel NAME SOURCE: all runs.
kernel() {
    local name=$1 tile workers runs=0 differ=0
    build "$name" "$2" || { echo "$name: does not build"; wrong=$((wrong + 1)); return; }
    "$work/$name.plain" 2>"$work/expected"
    for tile in ${TILES:-1 7 32 64 model}; do
        for workers in ${WORKERS:-1 2 5}; do
            runs=$((runs + 1))
            [ "$tile" = model ] && unset DVM_TILE || export DVM_TILE=$tile,$tile,$tile,$tile
            if DVM_TUNE=0 DVM_WORKERS=$workers timeout "${SECONDS_EACH:-60}" "$work/$name.tiled" 2>"$work/found" >/dev/null &&
                cmp -s "$work/found" "$work/expected"; then
                good=$((good + 1))
            else
                differ=$((differ + 1)) wrong=$((wrong + 1))
                echo "$name, tiles of $tile, $workers workers: differs, or did not end well"
            fi
        done
    done
    printf '%-16s %3d runs %3d differ\n' "$name" $runs $differ
}

mapfile -t sources < <(find "$POLYBENCH" -name '*.c' ! -path '*/utilities/*' ! -name '*.orig.c' | sort)
for source in "${sources[@]}"; do
    name=$(basename "$source" .c)
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    kernel "$name" "$source"
done
echo "$good passed, $wrong failed"
[ $wrong -eq 0 ]
