#!/usr/bin/env bash
# Removes the files that an installation has written, and the folders of libdvm that are empty then.
# Usage: tools/uninstall.sh MANIFEST [DESTDIR]   (the manifest is CMake's: a path on each line, without DESTDIR)
set -euo pipefail
manifest=$1 destdir=${2:-}
[ -e "$manifest" ] || { echo "there is no $manifest: \`make install\` writes it; install again with the same PREFIX, then uninstall" >&2; exit 1; }
removed=0
while IFS= read -r path || [ -n "$path" ]; do
    [ -e "$destdir$path" ] || [ -L "$destdir$path" ] || continue
    rm -f -- "$destdir$path"
    removed=$((removed + 1))
    folder=$(dirname -- "$destdir$path")
    # Only folders with libdvm's name, and those in them: the others are the system's.
    while [[ $folder == */dvm || $folder == */dvm/* ]]; do
        rmdir -- "$folder" 2>/dev/null || break
        folder=$(dirname -- "$folder")
    done
done <"$manifest"
echo "removed $removed files"
