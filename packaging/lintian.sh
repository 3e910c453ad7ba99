#!/usr/bin/env bash
# Judges packages: packaging/lintian.sh FILE.changes. Fails where lintian finds an error.
# The address of the maintainer is one of nobody.
exec lintian --fail-on error --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog "$@"
