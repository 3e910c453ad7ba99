#!/usr/bin/env bash
# Tests packages.sh against stand-ins for dpkg-query, apt-get, sudo and id: nothing is installed.
set -uo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0 failures=0

# A fresh PATH with only what the script needs, and the stand-ins that a case adds.
fresh() {
    rm -rf "$work/bin" "$work/log" && mkdir "$work/bin" && : >"$work/log"
    for tool in bash dirname grep sed cc; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
    stub id 'echo 0'
}
stub() { printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
dpkg_knows() { stub dpkg-query "case \"\${@: -1}\" in $1) echo installed ;; *) exit 1 ;; esac"; }
logging() { stub "$1" "echo $1 \"\$@\" >>'$work/log'; ${2:-exit 0}"; }

printf 'alpha-dev  # to build  [command alpha]\nbeta  # to test  [command beta]\n' >"$work/list"

# expect NAME EXIT [ARGUMENT]: runs the script; the case then looks at $work/out and $work/log.
expect() {
    local status
    cases=$((cases + 1))
    PATH=$work/bin DVM_PACKAGES=${list:-$work/list} bash "$here/packages.sh" ${3:+"$3"} >"$work/out" 2>&1
    status=$?
    [ $status -eq "$2" ] || fail "$1: exit $status, expected $2"
}
fail() { failures=$((failures + 1)); printf 'FAILED %s\n' "$1"; sed 's/^/    | /' "$work/out"; }
holds() { grep -qF -- "$2" "$work/$1" || fail "$1 lacks: $2"; }
lacks() { ! grep -qF -- "$2" "$work/$1" || fail "$1 has: $2"; }

fresh; dpkg_knows 'alpha-dev | beta'; logging apt-get
expect "everything is there" 0
lacks log apt-get

fresh; dpkg_knows alpha-dev; logging apt-get
expect "root installs what is missing, and only that" 0
holds log 'apt-get update'
holds log 'apt-get install -y --no-install-recommends beta'
lacks log alpha-dev
holds out 'to test'

fresh; dpkg_knows alpha-dev; logging apt-get
expect "--check installs nothing" 1 --check
holds out beta
lacks log apt-get

fresh; dpkg_knows beta; logging apt-get; stub id 'echo 1000'; stub sudo "shift; echo sudo >>'$work/log'; [ \"\$1\" = true ] || exec \"\$@\""
expect "sudo installs for a user" 0
holds log sudo
holds log 'apt-get install -y --no-install-recommends alpha-dev'

fresh; dpkg_knows none; logging apt-get; stub id 'echo 1000'; stub sudo 'exit 1'
expect "without rights the exact command is printed" 1
holds out 'sudo apt-get update && sudo apt-get install -y --no-install-recommends alpha-dev beta'
lacks log apt-get

fresh; dpkg_knows none; logging apt-get 'exit 100'
expect "a failing apt-get is an error with the command to run" 1
holds out "'apt-get update' failed"
holds out 'apt-get install -y --no-install-recommends alpha-dev beta'

fresh; logging alpha; logging beta
expect "no dpkg, tools found: continue" 0

fresh; logging beta
expect "no dpkg, a tool missing: the list" 1
holds out alpha-dev
lacks out beta

fresh; dpkg_knows none; printf 'alpha no reason\n' >"$work/bad"
list=$work/bad expect "a line that cannot be read is an error" 2
holds out 'alpha no reason'

fresh
expect "an unknown argument is an error" 2 --frobnicate

fresh; for tool in gfortran cmake valgrind clang pkg-config; do logging $tool; done
list=$here/../packages.txt
while read -r name _ rest; do
    case $name in '#'* | '') continue ;; esac
    [[ $rest == *'['*']' ]] || fail "packages.txt: $name has no way to be seen without dpkg"
done <"$list"
expect "the real list can be read" 0

echo "$((cases - failures)) passed, $failures failed"
[ $failures -eq 0 ]
