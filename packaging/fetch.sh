#!/usr/bin/env bash
# fetch.sh: fetches the released program of this version, unless that is done already, and prints the
# directory that it is in.
#
# fetch.sh ARGUMENT…: runs it with these arguments.
#
# What comes must have the SHA-256 in archives.sha256, beside this script: whoever pins this commit has
# pinned the program. CHECK_LOANS_RELEASES is where the releases are, in place of the project's own address.
set -euo pipefail
unset CDPATH TAR_OPTIONS
here=$(cd "$(dirname "$0")" && pwd)
readonly here

main() {
  local system machine archive version cache directory base
  system=$(uname -s) machine=$(uname -m)
  [[ $system == Linux ]] || fail "it is a program for Linux, and this is $system"
  archive=$(grep -m 1 -oE "[^ ]+-linux-$machine\.tar\.gz$" "$here/archives.sha256") \
    || fail "this commit has no released program for $machine; choose the tag of a release"
  version=${archive#check-loans-} version=${version%%-linux-*}
  cache=${RUNNER_TOOL_CACHE:-${XDG_CACHE_HOME:-${HOME-}/.cache}}
  # As the XDG Base Directory Specification has it, what is relative does not count.
  [[ $cache == /* && $cache != /.cache ]] || fail "there is no home directory for the program; set HOME"
  directory=$cache/check-loans/$(sum "$archive")
  if ! is_intact "$directory"; then
    base=$(releases)
    unpack "$base/v$version/$archive" "$directory"
    is_intact "$directory" || fail "$directory does not have what was released"
  fi
  if (($#)); then exec "$directory/check-loans" "$@"; fi
  echo "$directory"
}

# The sum that a file of the release must have.
sum() { grep -m 1 -E "^[0-9a-f]{64}  $1\$" "$here/archives.sha256" | cut -c 1-64; }

# Whether the program in a directory is the released one.
is_intact() {
  [[ -f $1/check-loans ]] \
    && [[ $(sha256sum <"$1/check-loans") == "$(sum "${archive%.tar.gz}/check-loans")  -" ]]
}

# The address of the releases.
releases() {
  if [[ ${CHECK_LOANS_RELEASES-} ]]; then
    echo "$CHECK_LOANS_RELEASES"
  elif [[ ${ACTION_REPOSITORY-} ]]; then
    echo "$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download"
  else
    local origin
    # Not of the repository in which a hook runs, which git names in variables.
    origin=$(env -u GIT_DIR -u GIT_WORK_TREE -u GIT_COMMON_DIR git -C "$here" config --get remote.origin.url) \
      || fail "the project has no address here"
    # By SSH it has the same name; a password is nobody else's to see.
    if [[ $origin =~ ^(ssh://)?git@([^:/]+)[:/](.*) ]]; then
      origin=https://${BASH_REMATCH[2]}/${BASH_REMATCH[3]}
    elif [[ $origin =~ ^(https?://)[^/@]*@(.*) ]]; then
      origin=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
    fi
    echo "${origin%.git}/releases/download"
  fi
}

# Fetches an archive, and unpacks it to a directory, which appears only when it is whole.
unpack() (
  address=$1 directory=$2
  for program in curl tar gzip; do command -v "$program" >/dev/null || fail "$program is needed, and not here"; done
  work=$(mkdir -p "$(dirname "$directory")" && mktemp -d "$directory.XXXXXX") \
    || fail "$(dirname "$directory") cannot be written"
  trap 'rm -rf "$work"' EXIT
  curl --fail --silent --show-error --location --retry 3 --output "$work/archive" --url "$address" \
    || fail "$address cannot be fetched"
  found=$(sha256sum <"$work/archive")
  [[ $found == "$(sum "$archive")  -" ]] \
    || fail "$address is not what was released: its SHA-256 is ${found%% *}, not $(sum "$archive")"
  mkdir "$work/tree"
  tar --extract --gzip --file="$work/archive" --directory="$work/tree" --strip-components=1 \
    || fail "$directory cannot be written"
  # Another run may have been faster, or what was there was something else.
  if ! mv --no-target-directory "$work/tree" "$directory" 2>/dev/null && ! is_intact "$directory"; then
    mv --no-target-directory "$directory" "$work/other" || fail "$directory cannot be written"
    mv --no-target-directory "$work/tree" "$directory" || fail "$directory cannot be written"
  fi
)

# Ends with a message, which GitHub shows on the page of the run.
fail() {
  local command=
  [[ ${GITHUB_ACTIONS-} != true ]] || command=::error::
  echo "${command}check-loans: ${*//$'\n'/ }" >&2
  exit 69
}

main "$@"
