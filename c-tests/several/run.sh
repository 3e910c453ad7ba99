#!/usr/bin/env bash
# Builds the programs of several processes, and runs each as 1, 2, ... processes of this host.
#
#   c-tests/several/run.sh [NAME...]      for example promises; without names, all
#
# A program passes if dvmrun ends with 0 in time and the last line is `NAME: ok`: it is the same for any number of processes.
# Settings: DVM_TEST_PROCESSES, how many processes (a list; default: the file `processes`); DVM_TEST_SECONDS, how long a run may take (default 120);
# LIBDVM, the shared library, and DVMRUN (default: cargo's builds in target/release); CC; DVM_TEST_FLAGS, more options for CC.
# Arguments of a program stand in a line `arguments: ...` of it, one run for each such line.
set -uo pipefail
export LC_ALL=C

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
release=${CARGO_TARGET_DIR:-$root/target}/release
processes=${DVM_TEST_PROCESSES:-$(<"$here/processes")}
seconds=${DVM_TEST_SECONDS:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -r -a flags <<<"${DVM_TEST_FLAGS:-}"
count=0 failures=0

if [ -z "${LIBDVM:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet -p dvm --lib) || exit 1
fi
if [ -z "${DVMRUN:-}" ]; then
    (cd "$root" && cargo build --release --locked --quiet -p dvmrun) || exit 1
fi
dvmrun=${DVMRUN:-$release/dvmrun}
# The library under the names that linkers and programs use.
mkdir "$work/lib" && for name in libdvm.so libdvm.so.0; do ln -s "$(realpath "${LIBDVM:-$release/libdvm.so}")" "$work/lib/$name"; done
export LD_LIBRARY_PATH=$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# failed WHAT: reports a failure, with the last command's output.
failed() {
    failures=$((failures + 1))
    echo "FAILED $1"
    tail -n 40 "$work/log" | sed 's/^/    | /'
}

# run NAME PROCESSES ARGUMENT...
run() {
    local name=$1 number=$2 status
    shift 2
    count=$((count + 1))
    # The second limit is for a dvmrun that hangs.
    timeout -s KILL $((seconds + 20)) "$dvmrun" -n "$number" --timeout "$seconds" "$work/$name" "$@" \
        </dev/null >"$work/output" 2>"$work/errors"
    status=$?
    cat "$work/output" "$work/errors" >"$work/log"
    if [ $status -ne 0 ]; then
        failed "$name $* as $number processes: exit status $status"
    elif [ "$(tail -n 1 "$work/output")" != "$name: ok" ]; then
        failed "$name $* as $number processes: the last line is not '$name: ok'"
    fi
}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in "$here"/*.c; do names+=("$(basename "$source" .c)"); done
fi
for name in "${names[@]}"; do
    if ! "${CC:-cc}" -std=c99 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror "${flags[@]}" -I"$root/include" -rdynamic \
        -o "$work/$name" "$here/$name.c" -L"$work/lib" -ldvm -lpthread -lm >"$work/log" 2>&1; then
        count=$((count + 1))
        failed "$name: does not build"
        continue
    fi
    mapfile -t lines < <(sed -n 's/^ \* arguments: *//p' "$here/$name.c")
    [ ${#lines[@]} -gt 0 ] || lines=("")
    for number in $processes; do
        for line in "${lines[@]}"; do
            read -r -a arguments <<<"$line"
            run "$name" "$number" "${arguments[@]}"
        done
    done
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 0 ]
