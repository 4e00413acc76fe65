#!/usr/bin/env bash
# systems.sh DIRECTORY: installs the packages of a directory, and unpacks the archive, in throw-away roots of
# systems that take them, and runs the program there.
#
# Needs root, mmdebstrap and Debian's packages. Prints a line for each check, `ok …` or `FAILED …`, and ends with 1
# if one failed.
set -euo pipefail
packages=$(realpath "$1")
readonly packages
top=$(mktemp -d)
trap 'rm -rf --one-file-system "$top"' EXIT
readonly top keys=$top/keys.gpg
# shellcheck source=Tests/Real/check.sh
. "$(dirname "$0")/check.sh"

main() {
  ((EUID == 0)) || { echo "systems.sh: this makes roots; run it as root" >&2; exit 1; }
  cp /usr/share/keyrings/debian-archive-keyring.gpg "$keys"
  try bookworm 2 16
  try trixie 2 16
  try forky 16 2
  ((failed == 0))
}

# try SUITE LIBXML2 OTHER: a root of a suite of Debian, with the package that it takes, and not the other.
try() {
  local suite=$1 root=$top/$1
  # apt reads the packages as its own user.
  mkdir -m 755 "$root.debs"
  chmod 755 "$top"
  cp "$packages"/check-loans_*_libxml2-*.deb "$root.debs"
  # A mirror may be weeks behind.
  mmdebstrap --quiet --variant=apt --mode=root --skip=cleanup/apt/lists --keyring="$keys" \
    --aptopt='Acquire::Check-Valid-Until "false"' "$suite" "$root" http://deb.debian.org/debian
  # The later system is signed by keys that the earlier one may not have.
  cp "$root/usr/share/keyrings/debian-archive-keyring.gpg" "$keys"
  mkdir "$root/debs" "$root/archive"
  cp "$root.debs"/*.deb "$root/debs"
  tar --extract --gzip --file="$(echo "$packages"/check-loans-*-linux-"$(uname -m)".tar.gz)" \
    --directory="$root/archive" --strip-components=1
  # A borrower in windows-1250, and a date that is to be fixed: more than UTF-8 is read and written.
  printf '%s\n' '<?xml version="1.0" encoding="windows-1250"?>' "$(printf '<books><book><title>Abig\351l</title>')" \
    '<expiration>2026-11-22</expiration></book></books>' >"$root/books.xml"

  inside "$root" apt-get install --yes --no-install-recommends "/debs/check-loans_*_libxml2-$3_*.deb"
  check "$suite refuses the package for libxml2.so.$3" grep -q 'Depends: libxml2' "$top/words"
  inside "$root" apt-get install --yes --no-install-recommends "/debs/check-loans_*_libxml2-$2_*.deb" \
    systemd-standalone-sysusers
  check "$suite installs the package for libxml2.so.$2" test $status -eq 0
  local program catalogue=$root/catalogue.xml
  for program in /usr/bin/check-loans /archive/check-loans; do
    cp "$root/books.xml" "$catalogue"
    inside "$root" $program validate --fix /catalogue.xml
    check "$suite: $program fixes a date" grep -q '1 date fixed' "$top/words"
    inside "$root" $program --state none --now 2026-11-21 /catalogue.xml
    check "$suite: $program reads another encoding" grep -q '"Abigél" expires tomorrow' "$top/words"
    inside "$root" $program --now 2026-11-21 --notify stdout /catalogue.xml
    check "$suite: $program keeps a schedule" test $status -eq 0
  done
  inside "$root" apt-get purge --yes check-loans
  check "$suite purges it" test $status -eq 0
  rm -rf --one-file-system "$root"
}

# Runs a command in a root, where patterns among its arguments are expanded; keeps its words and status.
inside() {
  local root=$1
  shift
  status=0
  # shellcheck disable=SC2016 # there
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
    DEBIAN_FRONTEND=noninteractive sh -c 'exec $*' - "$@" >"$top/words" 2>&1 </dev/null || status=$?
}

# What was printed last.
details() { tail -n 20 "$top/words"; }

main
