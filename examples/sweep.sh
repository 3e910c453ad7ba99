#!/usr/bin/env bash
# Compares the examples with pragmas byte by byte with the plainly compiled sources: for odd sizes, tile sizes from 1 to beyond
# the problem size, and 1 to 8 workers.
#
#   examples/sweep.sh [NAME...]     for example 06_jacobi; without names, all with a checksum
#
# Settings: DVMCC (default: target/release/dvmcc), CC. Exit status 0: no difference.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
dvmcc=${DVMCC:-${CARGO_TARGET_DIR:-$here/../target}/release/dvmcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-O2 -ffp-contract=off -Wno-unknown-pragmas)
passed=0 failed=0

sweep() {
    local name=$1 seen=0 wrong=0 size
    if ! "${CC:-cc}" "${flags[@]}" "$here/$name.c" -o "$work/plain" || ! "$dvmcc" "${flags[@]}" "$here/$name.c" -o "$work/tiled"; then
        echo "$name: does not compile"
        return 1
    fi
    for size in 0 1 2 3 7 13 31 64 97; do
        # The first example has two sizes: points and steps.
        local sizes=("$size")
        [ "$name" = 06_jacobi ] && sizes=("$size" $((size % 11)))
        "$work/plain" -o "$work/expected" "${sizes[@]}" >/dev/null || return 1
        for tile in 1 2 5,3 16,4,7 1000 ''; do
            [ "$tile" = 1 ] && [ "$size" -gt 31 ] && continue
            for workers in 1 2 3 5 8; do
                rm -f "$work/result"
                seen=$((seen + 1))
                if ! DVM_TUNE=0 DVM_TILE=$tile DVM_WORKERS=$workers timeout 120 "$work/tiled" -o "$work/result" "${sizes[@]}" >/dev/null ||
                    ! cmp -s "$work/expected" "$work/result"; then
                    wrong=$((wrong + 1))
                    echo "$name ${sizes[*]}: DVM_TILE=$tile DVM_WORKERS=$workers: other bytes than the original"
                fi
            done
        done
    done
    # A setting that libdvm refuses: the original loops run, and libdvm prints the reason.
    seen=$((seen + 1))
    if ! DVM_TILE=wide "$work/tiled" -o "$work/result" "${sizes[@]}" 2>&1 >/dev/null | grep 'runs sequentially.*DVM_TILE' >/dev/null ||
        ! cmp -s "$work/expected" "$work/result"; then
        wrong=$((wrong + 1))
        echo "$name: DVM_TILE=wide: no message, or other bytes than the original"
    fi
    echo "$name: $seen runs, $wrong differ"
    [ "$wrong" -eq 0 ]
}

names=("$@")
[ $# -gt 0 ] || for file in "$here"/*.c; do
    grep -q result_end "$file" && names+=("$(basename "$file" .c)")
done
for name in "${names[@]}"; do
    if sweep "$name"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
