#!/usr/bin/env bash
# Runs the programs of c-tests, which are written for one process, as process 0 of several: the results are the same. The
# others serve.
#
#   c-tests/several/process0.sh [NAME...]      for example data; without names, all that can run beside others
#
# Their tasks share variables with main, so their ranks are those of process 0 (DVM_TEST_OWN_RANKS). Left out: `ranks`, which
# expects one machine, and those that start themselves again (memory, plans, large).
# Settings as for run.sh; DVM_TEST_PROCESSES: default 2 4.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tests=$(dirname "$here")
root=$(dirname "$tests")
release=${CARGO_TARGET_DIR:-$root/target}/release
seconds=${DVM_TEST_SECONDS:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failures=0
# As many workers in each process.
export DVM_WORKERS=${DVM_WORKERS:-2}

if [ -z "${LIBDVM:-}" ] || [ -z "${DVMRUN:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
fi
dvmrun=${DVMRUN:-$release/dvmrun}
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
read -r -a flags <<<"${DVM_TEST_FLAGS:-}"

compile() { "${CC:-cc}" -std=gnu11 -O1 -g -Wall -Wextra -Werror "${flags[@]}" -I"$root/include" -L"$work/lib" "$@"; }

# run NAME PROCESSES
run() {
    # The second limit is for a dvmrun that hangs.
    timeout -s KILL $((seconds + 20)) "$dvmrun" -n "$2" --timeout "$seconds" "$work/$1" </dev/null >"$work/log" 2>&1
    local status=$?
    count=$((count + 1))
    [ $status -eq 0 ] && grep -q "^$1: [1-9][0-9]* checks, 0 failed$" "$work/log" && return
    failures=$((failures + 1))
    echo "FAILED $1 as process 0 of $2: exit status $status"
    tail -n 40 "$work/log" | sed 's/^/    | /'
}

names=("$@")
[ ${#names[@]} -gt 0 ] || names=(data processing scheduling lifecycle errors promises graph host blocking explain redistribution)
compile -shared -fPIC -o "$work/loaded.so" "$tests/loaded.c" || exit 1
for name in "${names[@]}"; do
    if ! compile -rdynamic "-DDVM_TEST_LOADED=\"$work/loaded.so\"" -DDVM_TEST_OWN_RANKS -o "$work/$name" "$tests/$name.c" \
        "$here/library/process0.c" -ldvm -lpthread -ldl -lm; then
        count=$((count + 1)) failures=$((failures + 1))
        echo "FAILED $name: does not build"
        continue
    fi
    for number in ${DVM_TEST_PROCESSES:-2 4}; do run "$name" "$number"; done
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 0 ]
