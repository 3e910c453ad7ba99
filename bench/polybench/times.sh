#!/usr/bin/env bash
# Times the kernels of PolyBench/C 4 as shipped: plainly compiled, by dvmcc with 1 and 2 workers, and by clang-19's Polly with 2
# threads if it is there, in turn. PolyBench is not part of the project.
#
#   POLYBENCH=DIR bench/polybench/times.sh [KERNEL...]      DIR: where linear-algebra, stencils, utilities, ... lie
#
# A line per kernel: the plain program's median in milliseconds, its slowest run over its fastest, and the speeds of the others
# over it; the last line has the geometric means. A kernel runs once in a process, as PolyBench does: nothing is learnt.
# Settings: DATA (default LARGE), the size of the data; ROUNDS (default 3); PATIENCE (default 60), seconds after which a kernel
# gets no further round; QUIET, a command that starts the programs; DVMCC, LIBDVM (default: cargo's builds).
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
read -ra quiet <<<"${QUIET:-}"
polly=(-mllvm -polly -mllvm -polly-parallel -mllvm "-polly-vectorizer=stripmine")
clang-19 "${polly[@]}" -x c -fsyntax-only /dev/null 2>/dev/null || polly=()

# build NAME SOURCE: NAME.plain, NAME.tiled and, where it works, NAME.polly.
build() {
    local name=$1 source=$2
    local flags=(-O3 -march=native -std=gnu99 -w -DPOLYBENCH_TIME -DPOLYBENCH_USE_C99_PROTO "-D${DATA:-LARGE}_DATASET"
        "-I$POLYBENCH/utilities" "-I$(dirname "$source")" "$source" "$POLYBENCH/utilities/polybench.c")
    "${CC:-cc}" "${flags[@]}" -o "$work/$name.plain" -lm || return
    timeout 300 "${DVMCC:-$release/dvmcc}" "${flags[@]}" -I"$root/include" -o "$work/$name.tiled" -L"$work" -ldvm -lm || return
    [ ${#polly[@]} -eq 0 ] || clang-19 "${polly[@]}" "${flags[@]}" -o "$work/$name.polly" -lm -lgomp 2>/dev/null || true
}

# kernel NAME SOURCE: all rounds; prints "way seconds" lines.
kernel() {
    local name=$1 round start=$SECONDS
    for ((round = 0; round < ${ROUNDS:-3}; round++)); do
        [ $round -eq 0 ] || [ $((SECONDS - start)) -lt "${PATIENCE:-60}" ] || break
        echo "plain $("${quiet[@]}" "$work/$name.plain")"
        echo "one $(DVM_WORKERS=1 "${quiet[@]}" "$work/$name.tiled")"
        echo "two $(DVM_WORKERS=2 "${quiet[@]}" "$work/$name.tiled")"
        [ ! -x "$work/$name.polly" ] || echo "polly $(OMP_NUM_THREADS=2 "${quiet[@]}" "$work/$name.polly")"
    done
}

printf '%-16s %10s %7s %9s %9s %9s\n' kernel 'plain, ms' spread '1 worker' '2 workers' "Polly, 2"
mapfile -t sources < <(find "$POLYBENCH" -name '*.c' ! -path '*/utilities/*' ! -name '*.orig.c' | sort)
for source in "${sources[@]}"; do
    name=$(basename "$source" .c)
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    build "$name" "$source" || { echo "$name: does not build" >&2; continue; }
    kernel "$name" | sort -k1,1 -k2,2g | awk -v name="$name" '
        { times[$1, ++count[$1]] = $2 }
        function median(way, n) {
            n = count[way]
            return n == 0 ? 0 : n % 2 ? times[way, (n + 1) / 2] : (times[way, n / 2] + times[way, n / 2 + 1]) / 2
        }
        function ratio(way) { return median(way) > 0 ? sprintf("%.2f", median("plain") / median(way)) : "-" }
        END {
            spread = times["plain", 1] > 0 ? times["plain", count["plain"]] / times["plain", 1] : 0
            printf "%-16s %10.3f %7.2f %9s %9s %9s\n", name, 1000 * median("plain"), spread, ratio("one"), ratio("two"), ratio("polly")
        }'
done | tee "$work/table"
awk '{ rows++ } { for (k = 4; k <= 6; k++) if ($k > 0) { sum[k] += log($k); n[k]++ } }
    END { if (rows) { printf "%-16s %10s %7s", "geometric mean", "", ""; for (k = 4; k <= 6; k++) printf " %9s", n[k] ? sprintf("%.2f", exp(sum[k] / n[k])) : "-"; print "" } }' "$work/table"
