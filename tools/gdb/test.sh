#!/usr/bin/env bash
# Tests dvm.py: a program that is stuck in a known way is shown as it is, while it is stopped and from its core file.
# Without gdb, which is needed for nothing else, it says so and ends well.
set -uo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
if ! command -v gdb >/dev/null; then
    echo "there is no gdb: the commands of tools/gdb/dvm.py were not tested"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I"$root/include" "$root/tools/gdb/stuck.c" -o "$work/stuck" \
    -L"$release" -ldvm -Wl,-rpath,"$release" || exit 1

"${CC:-cc}" -std=c11 -I"$root/include" "$root/tools/gdb/stuck.c" -o "$work/rpathless" -L"$release" -ldvm || exit 1

# The library as it is installed: its debug information in a file beside it.
mkdir "$work/lib" "$work/lib/.debug"
installed=$work/lib/libdvm.so.0
objcopy --only-keep-debug --compress-debug-sections=zlib "$release/libdvm.so" "$work/lib/.debug/libdvm.so.0.debug" &&
    objcopy --strip-debug --add-gnu-debuglink="$work/lib/.debug/libdvm.so.0.debug" "$release/libdvm.so" "$installed" || exit 1

commands=(-ex 'dvm workers' -ex 'dvm queues' -ex 'dvm data' -ex 'dvm data all')
debug() { DEBUGINFOD_URLS='' DVM_SYNTHETIC=${machine:-pu:2} timeout 120 gdb -nx -batch -ex 'set pagination off' -x "$root/tools/gdb/dvm.py" "$@" 2>&1; }
debug -ex 'dvm workers' "$work/stuck" >"$work/before"
debug -ex 'break stuck' -ex run "${commands[@]}" -ex "generate-core-file $work/core" "$work/stuck" >"$work/stopped"
debug "${commands[@]}" "$work/stuck" "$work/core" >"$work/dead"
machine=pu:1 debug -ex 'break stuck' -ex run "${commands[@]}" "$work/stuck" >"$work/alone"
LD_LIBRARY_PATH=$work/lib debug -ex 'break stuck' -ex run "${commands[@]}" -ex 'info sharedlibrary' "$work/rpathless" >"$work/split"
rm "$work/lib/.debug/libdvm.so.0.debug"
LD_LIBRARY_PATH=$work/lib debug -ex 'break stuck' -ex run -ex 'dvm workers' "$work/rpathless" >"$work/bare"
debug -ex 'dvm nothing' "$work/stuck" >"$work/wrong"

count=0 failures=0
# expect FILE PATTERN: the file has a line of this form.
expect() {
    count=$((count + 1))
    grep -qE -- "$2" "$work/$1" && return
    failures=$((failures + 1))
    printf 'FAILED %s has no line %s\n' "$1" "$2"
    sed 's/^/    | /' "$work/$1"
}
id='\{0, [0-9]+\}'
for file in stopped dead split; do
    expect $file "^worker 0 \(.*\): runs 'never ends'; 1 ready, 0 ended$"
    expect $file "^worker 1 \(.*\): (sleeps|looks for work); 0 ready, 1 ended$"
    expect $file "^worker 0: 'has its turn later' \($id\)$"
    expect $file "^datum $id: promised, 1 bytes, 1 references, 0 taken; the output of 'never ends' \($id\)$"
    expect $file "^datum $id: promised, 2 bytes, 1 references, 0 taken; the output of 'has its turn later' \($id\)$"
    expect $file "^datum $id: promised, 24 bytes, 0 references, 1 taken; nobody is to publish it; waiting: 'reads what is lost' \($id, $id\)$"
    expect $file "^datum $id: promised, 8 bytes, 0 references, 1 taken; written by hand; waiting: 'makes five' \($id(, $id){5}\)$"
    expect $file "^datum $id: promised, 8 bytes, 1 references, 0 taken; the output of 'makes five' \($id(, $id){5}\)$"
    expect $file "^datum $id: promised, .*; the output of 'makes five' \(.*\); waiting: 'reads what is lost' \($id, $id\)$"
    expect $file "^datum $id: published, 100 bytes, 0 references, 1 taken$"
done
expect alone "^worker 0: 'is for anybody' \(\) \(others may steal it\)$"
expect stopped '^worker 0 \(thread [0-9]+\)'
expect split "$installed"
expect bare "types cannot be read.*make install-debug"
expect before "libdvm's types cannot be read|libdvm is not running"
expect wrong '^dvm workers, dvm queues, dvm data, or dvm data all$'

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ]
