#!/usr/bin/env bash
# Kills processes of jobs that Open MPI 5 has started with ULFM: the others are told in time, and with DVM_RECOVER the result is
# right.
#
#   c-tests/several/ulfm.sh [KILLS]     so many kills of each program (default 10), by rings and by MPI in turn
#
# Settings: DVM_TEST_FIRST, the first seed; DVM_TEST_SECONDS, how long a run may take (default 60); LIBDVM, CC as in run.sh.
# Without Open MPI 5 (`tools/mpis.sh install`) or its plugin nothing is tried.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
release=${CARGO_TARGET_DIR:-$root/target}/release
kills=${1:-10} first=${DVM_TEST_FIRST:-$(date +%s)} seconds=${DVM_TEST_SECONDS:-60}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

there=$("$root/tools/mpis.sh" list all 2>"$work/missing")
if ! grep -qx openmpi5 <<<"$there"; then
    grep 'left out: openmpi5' "$work/missing"
    echo "0 passed, 0 failed"
    exit 0
fi
if [ -z "${LIBDVM:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
fi
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for name in killed recovery; do
    "${CC:-cc}" -std=c99 -D_GNU_SOURCE -O1 -g -rdynamic -I"$root/include" -o "$work/$name" "$here/$name.c" -L"$work/lib" -ldvm -lpthread -lm || exit 1
done

count=0 failures=0
# try PROCESSES NAME ARGUMENT...
try() {
    local number=$1 name=$2 status
    shift 2
    count=$((count + 1))
    timeout -k 10 "$seconds" "$root/tools/mpis.sh" run openmpi5 "$number" --with-ft ulfm -- "$work/$name" "$@" \
        </dev/null >"$work/log" 2>&1
    status=$?
    if [ $status -eq 124 ] || [ $status -eq 137 ] || ! grep -qx "$name: ok" "$work/log"; then
        failures=$((failures + 1))
        echo "FAILED $name $* as $number processes, DVM_RINGS=$DVM_RINGS: exit status $status"
        tail -n 20 "$work/log" | sed 's/^/    | /'
    fi
}

for ((seed = first; seed < first + kills; seed++)); do
    number=$((2 + seed / 2 % 3))
    export DVM_RINGS=$((seed % 2))
    # The launcher ends with process 0: then the others have nobody to tell anything to.
    try $number killed $((1 + seed % (number - 1))) $((seed * 37 % 400))
    DVM_RECOVER=1 try $number recovery "$([ $((seed / 2 % 2)) -eq 0 ] && echo map-reduce || echo cholesky)" "$seed" $((40000 << seed % 4))
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
