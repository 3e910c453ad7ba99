#!/usr/bin/env bash
# Writes the binary interface of a header: FILE.abi has its functions with all types that they name, from abidw;
# FILE.constants has the values of its macros, which a library does not contain.
#
#   c-tests/abi/dump.sh HEADER FILE
#
# Dumps a library made from the header alone, with empty functions: c-tests/symbols.sh compares the
# symbols of libdvm.so with the header, and the crate dvm-abi compares the types of its functions.
set -euo pipefail
export LC_ALL=C

header=${1:?dvm.h} file=${2:?the files to write, without their endings}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each prototype becomes a definition.
{
    cat "$header"
    gcc -E -P -xc "$header" | tr '\n' ' ' | sed 's/;/;\n/g' |
        grep -oE '(dvm_retcode_t|int|const char \*) ?dvm_[a-z0-9_]+\(.*\);$' | grep -v typedef |
        sed 's/;$/ { __builtin_trap(); }/'
} >"$work/interface.c"
(cd "$work" && gcc -std=gnu11 -g -w -shared -fPIC -Wl,-soname,libdvm.so.0 interface.c -o interface.so)
abidw --no-show-locs --no-corpus-path --no-comp-dir-path --no-elf-needed --no-parameter-names --no-architecture \
    --type-id-style hash "$work/interface.so" | sed "s|path='[^']*'|path='dvm.h'|" >"$file.abi"
gcc -E -dM -xc "$header" | grep -oE 'DVM_[A-Z0-9_]+ -?[0-9]+$' | grep -v '^DVM_VERSION' | sort >"$file.constants"
