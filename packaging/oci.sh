#!/usr/bin/env bash
# oci.sh TREE VERSION ARCHIVE: makes a container image of an unpacked archive, and of the files of
# those Debian packages of this machine that the program needs; no daemon, no network.
#
# SOURCE_DATE_EPOCH is the time of all that is in it.
set -euo pipefail
: "${SOURCE_DATE_EPOCH:?}"
tree=$(realpath "$1") archive=$(realpath "$3")
readonly tree version=$2 archive
work=$(mktemp -d)
readonly work root=$work/root
trap 'rm -rf "$work"' EXIT
umask 022

main() {
  mkdir -p "$root"/{etc/check-loans,tmp,work,usr/{bin,sbin,lib,lib64}} "$root/var/lib/check-loans"
  chmod 1777 "$root/tmp"
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  package_files | sort --unique | tar --create --directory=/ --no-recursion --files-from=- \
    | tar --extract --directory="$root" --keep-directory-symlink
  DESTDIR=$root PREFIX=/usr "$tree/install.sh"
  install -D -m 644 "$tree/LICENSE" "$root/usr/share/doc/check-loans/LICENSE"
  # For what asks who it is.
  echo 'check-loans:x:65532:65532::/var/lib/check-loans:/usr/sbin/nologin' >"$root/etc/passwd"
  echo 'check-loans:x:65532:' >"$root/etc/group"
  pack
}

# The files of the packages, by their paths below /; of what is for people to read, the licences.
package_files() {
  local loaded
  # What is loaded only where it is needed.
  loaded=$(ldconfig -p | awk '$1 ~ /^lib(archive.so.13|ical.so.3)$/ && !seen[$1]++ { print $NF }')
  (( $(wc -w <<<"$loaded") == 2 )) || die "libarchive13 or libical3 is not installed"
  # shellcheck disable=SC2086
  { echo "$loaded"; ldd "$tree/check-loans" $loaded | awk '$2 == "=>" { print $3 }'; } \
    | while read -r library; do owner "$(realpath "$library")"; done >"$work/packages"
  sort --unique "$work/packages" | xargs dpkg-query --listfiles tzdata | sed 's|^/||' | grep . \
    | grep -vE '^\.$|^usr/share/(man|lintian|doc/[^/]+/[^c])|^usr/share/doc/[^/]+/changelog' \
    | while read -r path; do if [[ ! -d /$path || -L /$path ]]; then echo "$path"; fi; done
  find /usr/lib/locale/C.utf8 -type f -printf '%P\n' | sed 's|^|usr/lib/locale/C.utf8/|'
}

die() {
  echo "oci.sh: $*" >&2
  exit 1
}

# The package of a file, which knows it by a path with /usr or without.
owner() {
  { dpkg-query --search "$1" || dpkg-query --search "${1#/usr}"; } 2>/dev/null | sed 's/: .*//' \
    || die "$1 belongs to no Debian package"
}

pack() {
  local container
  local options=(--file="$work/root.tar" --directory="$root" --numeric-owner --sort=name
    --mtime="@$SOURCE_DATE_EPOCH")
  tar --create "${options[@]}" --owner=0 --group=0 --exclude=./var/lib/check-loans .
  tar --append "${options[@]}" --owner=65532 --group=65532 --mode=700 ./var/lib/check-loans
  buildah=(buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run")
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" add --quiet "$container" "$work/root.tar" / >/dev/null
  "${buildah[@]}" config --user 65532:65532 --entrypoint '["/usr/bin/check-loans"]' \
    --volume /var/lib/check-loans --workingdir /work --env HOME=/var/lib/check-loans \
    --env LC_ALL=C.UTF-8 --label org.opencontainers.image.title=check-loans \
    --label "org.opencontainers.image.version=$version" \
    --label org.opencontainers.image.licenses=Apache-2.0 "$container"
  rm -f "$archive"
  "${buildah[@]}" commit --quiet --timestamp "$SOURCE_DATE_EPOCH" --disable-compression=false \
    "$container" "oci-archive:$archive:check-loans:$version" >/dev/null
}

main
