#!/usr/bin/env bash
# deb.sh TREE VERSION DIRECTORY: makes the Debian package of an unpacked archive, in a directory.
#
# SOURCE_DATE_EPOCH is the time of all that is in it.
set -euo pipefail
: "${SOURCE_DATE_EPOCH:?}"
tree=$(realpath "$1") directory=$(realpath "$3")
readonly tree version=$2 directory
export LC_ALL=C.UTF-8 TREE=$tree DEB_BUILD_OPTIONS=noautodbgsym
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/check-loans"
cp -r "$(dirname "$0")/debian" "$work/check-loans"
cd "$work/check-loans"

# The project's own changelog in Debian's form, of which the part of this version comes first.
{
  printf 'check-loans (%s) unstable; urgency=medium\n\n' "$version"
  awk '
    /^## / { if (seen++) exit }
    /^### / { printf "\n[ %s ]\n\n", substr($0, 5) }
    /^- / { sub("- ", "* ") }
    /^(\*|  )/ { print }
  ' "$tree/CHANGELOG.md" | fmt --tagged-paragraph --width=76 | sed 's/^\(.\)/  \1/'
  printf '\n -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' debian/control)" \
    "$(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")"
} >debian/changelog

dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo >"$work/log" 2>&1 \
  || { cat "$work/log" >&2; exit 1; }
cp "$work"/check-loans_*.deb "$directory"
