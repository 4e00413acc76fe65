#!/usr/bin/env bash
# oci.sh ARCHIVE: runs the container image of an archive by runc as the user that it names, without
# capabilities or a network, and with a root that cannot be written to.
#
# Needs root and Debian's packages. Prints a line for each check, `ok …` or `FAILED …`, and ends with 1
# if one failed.
set -euo pipefail
archive=$(realpath "$1")
project=$(realpath "$(dirname "$0")/../..")
work=$(mktemp -d)
readonly archive project work
buildah=(buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run")
# shellcheck source=Tests/Real/check.sh
. "$project/Tests/Real/check.sh"

main() {
  trap clean_up EXIT
  prepare
  check "its user is nobody's" test "$(jq -r .User "$work/image.json")" = 65532:65532
  check "it checks a catalogue" says '"Abigél" expires tomorrow' --now 2026-11-21 books.xml
  check "its schedule is in the volume" test -s "$work/state/schedule.sqlite"
  check "it lists its schedule" says 'Abigél' schedule list --now 2026-11-21
  check "it validates a catalogue" says 'no problems' validate books.xml
  check "it knows time zones" says 'Asia/Tokyo' config --time-zone Asia/Tokyo books.xml
  check "it knows other encodings" says 'no problems' validate windows-1250.xml
  check "it knows recurring days" says 'Market day' closed --closed-calendars market.ics \
    --from 2026-11-28 --to 2026-11-28
  check "its root cannot be written to" \
    says 'Read-only file system' --state /usr/schedule.sqlite books.xml
  : >"$work/words"
  check "a scanner sees which system it is" grep -q '^ID=' "$root/etc/os-release"
  for package in libc6 libxml2 libsqlite3-0 zlib1g tzdata; do
    check "a scanner sees the version of $package" \
      grep -q '^Version: ' "$root/var/lib/dpkg/status.d/$package"
  done
  check "it has the notices of what is linked into it" \
    grep -q 'Mark Gillard' "$root/usr/share/doc/check-loans/copyright"
  check "its labels have its version" \
    test "$(jq -r '.Labels["org.opencontainers.image.version"]' "$work/image.json")" = "$(version)"
  ((failed == 0))
}

version() {
  sed -n 's/.*number = "\(.*\)"/\1/p' "$project/Sources/CommandOutput/Process/ProgramVersion.swift"
}

clean_up() {
  "${buildah[@]}" rm --all >/dev/null 2>&1 || true
  rm -rf "$work"
}

# Unpacks the image, and has a folder with catalogues.
prepare() {
  local container
  container=$("${buildah[@]}" from "oci-archive:$archive")
  "${buildah[@]}" inspect "$container" | jq .OCIv1.config >"$work/image.json"
  root=$("${buildah[@]}" mount "$container")
  mkdir "$work"/{bundle,library,state}
  chown 65532:65532 "$work/state"
  cp "$project/books.xml" "$work/library"
  printf '%s\n' '<?xml version="1.0" encoding="windows-1250"?>' '<books><book>' \
    '<title>Abig'$'\xe9''l</title><expiration>2026.12.01</expiration></book></books>' \
    >"$work/library/windows-1250.xml"
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:x BEGIN:VEVENT UID:x \
    'DTSTART;VALUE=DATE:20261121' 'RRULE:FREQ=WEEKLY' 'SUMMARY:Market day' END:VEVENT END:VCALENDAR \
    >"$work/library/market.ics"
  (cd "$work/bundle" && runc spec)
  jq --slurpfile image "$work/image.json" --arg root "$root" --arg work "$work" \
    '.root = {path: $root, readonly: true} | .process.terminal = false
    | .process.user = {uid: 65532, gid: 65532} | .process.capabilities = {}
    | .process.env = $image[0].Env | .process.cwd = $image[0].WorkingDir
    | .process.args = $image[0].Entrypoint
    | .mounts += [
        {destination: "/tmp", type: "tmpfs", source: "tmpfs", options: ["mode=1777"]},
        {destination: "/work", type: "none", source: "\($work)/library", options: ["bind", "ro"]},
        {destination: "/var/lib/check-loans", type: "none", source: "\($work)/state",
         options: ["bind", "rw"]}]' \
    "$work/bundle/config.json" >"$work/config.json"
}

# says WORDS ARGUMENTS…: whether the program in the image says so.
says() {
  local words=$1
  shift
  jq --argjson more "$(printf '%s\n' "$@" | jq --raw-input --slurp 'split("\n")[:-1]')" \
    '.process.args += $more' "$work/config.json" >"$work/bundle/config.json"
  runc run --bundle "$work/bundle" "check-loans-test-$$" >"$work/words" 2>&1 || true
  grep -qF -e "$words" "$work/words"
}

# What the program said last.
details() { cat "$work/words"; }

main
