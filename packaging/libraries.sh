#!/usr/bin/env bash
# libraries.sh DIRECTORY: puts into a directory the libraries that are linked into the archive's binary
# (static), those that the package for libxml2.so.16 is linked to (shared), and the descriptions by
# which a build finds them (pkgconfig). libxml2 is built from its source, once.
#
# Debian's own libxml2.a wants ICU, 35 MB of data for encodings that iconv(3) knows as well.
set -euo pipefail
self=$(realpath "$0")
readonly self

# Debian's copy of the source; the second address is for when Debian has a newer one.
version=2.15.4
sha256=5868d20db42ee21e4881bc53050c7fa226286a277cb3d0543f76b81f7571e934
sources=(
  "http://deb.debian.org/debian/pool/main/libx/libxml2/libxml2_$version+dfsg.orig.tar.xz"
  https://snapshot.debian.org/file/d5d2954d7e9e7f4501f6d96469a9c6475232e76a
)

main() {
  local directory library
  mkdir -p "$1"
  directory=$(realpath "$1")
  cd "$directory"
  if [[ ! -e libxml2-$version.built ]]; then
    rm -rf include pkgconfig shared static root source.tar.xz libxml2-*
    mkdir include pkgconfig shared static
    # A process of its own, which ends at the first error.
    "$self" --libxml2 "$directory" >log 2>&1 || { tail -n 30 log >&2; exit 1; }
    touch "libxml2-$version.built"
  fi
  for library in libsqlite3.a libz.a; do
    ln -sf "$(gcc -print-file-name=$library)" static
  done
  # Without a place for the libraries, which is chosen by whoever links.
  describe libxml-2.0 "$version" -lxml2 "-I$directory/include"
  describe sqlite3 "$(pkg-config --modversion sqlite3)" -lsqlite3
  describe zlib "$(pkg-config --modversion zlib)" -lz
}

# The functions that check-loans uses, with encodings by iconv, and nothing else to depend on. It does
# not say where it was built.
build_libxml2() {
  local directory=$1
  cd "$directory"
  fetch source.tar.xz
  tar --extract --file=source.tar.xz
  (
    cd "libxml2-$version"
    export CFLAGS="-O2 -g -fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$PWD=."
    ./configure --enable-static --with-iconv --without-icu --without-zlib --without-http --without-modules \
      --without-python --without-readline --without-history
    make --jobs="$(nproc)" libxml2.la
    make install-data prefix="$directory/root" includedir="$directory/root"
  )
  mv root/libxml2/* include
  mv "libxml2-$version/.libs/libxml2.a" static
  mv "libxml2-$version/.libs/"libxml2.so* shared
  mv "libxml2-$version/Copyright" libxml2.copyright
  rm -rf root source.tar.xz "libxml2-$version"
}

# Fetches the source to a file, and makes sure that it is the source that is meant.
fetch() {
  local source
  for source in "${sources[@]}"; do
    if curl --fail --silent --show-error --location --retry 3 --output "$1" "$source"; then
      sha256sum --quiet --check - <<<"$sha256  $1"
      return
    fi
  done
  echo "libraries.sh: none of these can be fetched: ${sources[*]}"
  return 1
}

# describe NAME VERSION LIBRARY [FLAGS]: writes the description of a library for pkg-config(1).
describe() {
  printf '%s\n' "Name: $1" "Description: $1" "Version: $2" "Libs: $3" "Cflags: ${4-}" \
    >"pkgconfig/$1.pc"
}

case ${1:-} in
  --libxml2) build_libxml2 "$2" ;;
  '') echo "usage: libraries.sh DIRECTORY" >&2; exit 64 ;;
  *) main "$1" ;;
esac
