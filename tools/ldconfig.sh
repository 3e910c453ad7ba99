#!/usr/bin/env bash
# After a library came to or left a folder that the system's loader searches: runs ldconfig, as root. Elsewhere nothing is due.
# Usage: tools/ldconfig.sh MANIFEST [DESTDIR]   (the manifest is CMake's; with DESTDIR the files are not where they will be used)
set -euo pipefail
manifest=$1 destdir=${2:-}
[ -z "$destdir" ] && [ "$(id -u)" = 0 ] || exit 0
PATH=$PATH:/sbin:/usr/sbin
command -v ldconfig >/dev/null || exit 0
folder=$(sed -n 's|/libdvm\.so$||p' "$manifest" | head -n 1)
[ -n "$folder" ] || exit 0
# Folders by their true names: /lib may be a link to /usr/lib.
folder=$(readlink -m -- "$folder")
while IFS= read -r searched; do
    [ "$(readlink -m -- "$searched")" = "$folder" ] || continue
    ldconfig
    echo "ldconfig: the loader knows of the change in $folder"
    exit 0
done < <(ldconfig -v -N -X 2>/dev/null | sed -n 's|^\(/[^:]*\):.*|\1|p')
