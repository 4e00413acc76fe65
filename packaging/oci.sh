#!/usr/bin/env bash
# oci.sh TREE VERSION ARCHIVE: makes a container image of an unpacked archive, and of the files of
# those Debian packages of this machine that the program needs, whose names it leaves in a file beside it,
# NAME.packages for NAME.oci.tar; no daemon, no network.
#
# SOURCE_DATE_EPOCH is the time of all that is in it; HOMEPAGE is the project's address and REVISION the
# commit, if they are known.
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
  find_packages
  package_files | sort --unique | tar --create --directory=/ --no-recursion --files-from=- \
    | tar --extract --directory="$root" --keep-directory-symlink
  note_packages
  DESTDIR=$root PREFIX=/usr "$tree/install.sh"
  # For what asks who it is.
  echo 'check-loans:x:65532:65532::/var/lib/check-loans:/usr/sbin/nologin' >"$root/etc/passwd"
  echo 'check-loans:x:65532:' >"$root/etc/group"
  pack
}

# Writes the names of the packages that the program needs to a file.
find_packages() {
  local loaded
  # What is loaded only where it is needed.
  loaded=$(ldconfig -p | awk '$1 ~ /^lib(archive.so.13|ical.so.3)$/ && !seen[$1]++ { print $NF }')
  (( $(wc -w <<<"$loaded") == 2 )) || die "libarchive13 or libical3 is not installed"
  # shellcheck disable=SC2086
  { echo "$loaded"; ldd "$tree/check-loans" $loaded | awk '$2 == "=>" { print $3 }'; } \
    | while read -r library; do owner "$(realpath "$library")"; done >"$work/found"
  { echo tzdata; cat "$work/found"; } | sort --unique >"$work/packages"
  cp "$work/packages" "${archive%.oci.tar}.packages"
}

# The files of the packages, by their paths below /; of what is for people to read, the licences.
package_files() {
  xargs dpkg-query --listfiles <"$work/packages" | sed 's|^/||' | grep . \
    | grep -vE '^\.$|^usr/share/(man|lintian|doc/[^/]+/[^c])|^usr/share/doc/[^/]+/changelog' \
    | while read -r path; do if [[ ! -d /$path || -L /$path ]]; then echo "$path"; fi; done
  find /usr/lib/locale/C.utf8 -type f -printf '%P\n' | sed 's|^|usr/lib/locale/C.utf8/|'
}

# Which system and packages these are, where scanners for known weaknesses look.
note_packages() {
  local package
  install -D -m 644 "$(realpath /etc/os-release)" "$root/usr/lib/os-release"
  ln -s ../usr/lib/os-release "$root/etc/os-release"
  mkdir -p "$root/var/lib/dpkg/status.d"
  while read -r package; do
    dpkg-query --status "$package" >"$root/var/lib/dpkg/status.d/${package%%:*}"
  done <"$work/packages"
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
  labels=()
  label title check-loans
  label description 'Reminds people to bring library books back on time'
  label version "$version"
  label licenses Apache-2.0
  label created "$(date --utc --date "@$SOURCE_DATE_EPOCH" +%FT%TZ)"
  if [[ ${REVISION-} ]]; then label revision "$REVISION"; fi
  if [[ ${HOMEPAGE-} ]]; then
    label url "$HOMEPAGE"
    label source "$HOMEPAGE"
    label documentation "$HOMEPAGE/blob/v$version/docs/installing.md"
  fi
  tar --create "${options[@]}" --owner=0 --group=0 --exclude=./var/lib/check-loans .
  tar --append "${options[@]}" --owner=65532 --group=65532 --mode=700 ./var/lib/check-loans
  buildah=(buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run")
  container=$("${buildah[@]}" from scratch)
  "${buildah[@]}" add --quiet "$container" "$work/root.tar" / >/dev/null
  "${buildah[@]}" config --user 65532:65532 --entrypoint '["/usr/bin/check-loans"]' \
    --volume /var/lib/check-loans --workingdir /work --env HOME=/var/lib/check-loans \
    --env LC_ALL=C.UTF-8 "${labels[@]}" "$container"
  "${buildah[@]}" commit --quiet --timestamp "$SOURCE_DATE_EPOCH" --identity-label=false \
    --disable-compression=false "$container" "oci:$work/image:check-loans:$version" >/dev/null
  tar --create --file="$archive" --directory="$work/image" --sort=name --owner=0 --group=0 \
    --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" .
}

# label NAME VALUE: as the image specification of OCI names them.
label() { labels+=(--label "org.opencontainers.image.$1=$2"); }

main
