#!/usr/bin/env bash
# deb.sh TREE VERSION DIRECTORY LIBXML2 [LIBRARIES]: makes the Debian package of an unpacked archive, in a
# directory. LIBXML2 is the soname's number of the libxml2 that its binary is linked to, 2 or 16, and
# LIBRARIES the directory with that library, if it is not this system's.
#
# SOURCE_DATE_EPOCH is the time of all that is in it; HOMEPAGE is the project's address, if it has one.
set -euo pipefail
: "${SOURCE_DATE_EPOCH:?}"
tree=$(realpath "$1") directory=$(realpath "$3")
# Two packages of one version must not have one name. Debian's own, one day, is newer than both.
readonly tree version=$2 number="$2~libxml2.$4" directory libxml2=$4
export LC_ALL=C.UTF-8 TREE=$tree LIBRARIES=${5:+$(realpath "$5")} DEB_BUILD_OPTIONS=noautodbgsym
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/check-loans"
cp -r "$(dirname "$0")/debian" "$work/check-loans"
cd "$work/check-loans"
if [[ ${HOMEPAGE-} ]]; then sed -i "/^Standards-Version:/i Homepage: $HOMEPAGE" debian/control; fi

# The project's own changelog in Debian's form, of which the part of this version comes first.
{
  printf 'check-loans (%s) unstable; urgency=medium\n\n' "$number"
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
# GitHub replaces `~` in the names of files.
for file in "$work"/check-loans_*.deb "$work"/check-loans_*.buildinfo; do
  name=$(basename "$file")
  cp "$file" "$directory/${name/"$number"/"${version}_libxml2-$libxml2"}"
done
