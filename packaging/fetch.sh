#!/usr/bin/env bash
# fetch.sh: fetches the released program of this version, unless that is done already, and prints the
# directory that it is in.
#
# fetch.sh ARGUMENT…: runs it with these arguments.
#
# What comes must have the SHA-256 in archives.sha256, beside this script: whoever pins this commit has
# pinned the program. CHECK_LOANS_RELEASES is where the releases are, in place of the project's own address.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readonly here

main() {
  local system machine line sum archive version base directory
  system=$(uname -s) machine=$(uname -m)
  [[ $system == Linux ]] || fail "it is a program for Linux, and this is $system"
  line=$(grep -m 1 -E "^[0-9a-f]{64}  [^ ]+-linux-$machine\.tar\.gz$" "$here/archives.sha256") \
    || fail "this commit has no released program for $machine; choose the tag of a release"
  sum=${line%% *} archive=${line##* }
  version=${archive#check-loans-} version=${version%%-linux-*}
  directory=${RUNNER_TOOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}}/check-loans/$sum
  if [[ ! -x $directory/check-loans ]]; then
    base=$(releases)
    unpack "$base/v$version/$archive" "$sum" "$directory"
  fi
  if (($#)); then exec "$directory/check-loans" "$@"; fi
  echo "$directory"
}

# The address of the releases.
releases() {
  if [[ ${CHECK_LOANS_RELEASES-} ]]; then
    echo "$CHECK_LOANS_RELEASES"
  elif [[ ${ACTION_REPOSITORY-} ]]; then
    echo "$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download"
  else
    local origin
    origin=$(git -C "$here" config --get remote.origin.url) || fail "the project has no address here"
    # By SSH it has the same name.
    if [[ $origin =~ ^(ssh://)?git@([^:/]+)[:/](.*) ]]; then
      origin=https://${BASH_REMATCH[2]}/${BASH_REMATCH[3]}
    fi
    echo "${origin%.git}/releases/download"
  fi
}

# Fetches an archive with this sum, and unpacks it to a directory, which appears only when it is whole.
unpack() (
  address=$1 sum=$2 directory=$3
  mkdir -p "$(dirname "$directory")"
  work=$(mktemp -d "$directory.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  curl --fail --silent --show-error --location --retry 3 --output "$work/archive" "$address" \
    || fail "$address cannot be fetched"
  found=$(sha256sum <"$work/archive")
  [[ ${found%% *} == "$sum" ]] \
    || fail "$address is not what was released: its SHA-256 is ${found%% *}, not $sum"
  mkdir "$work/tree"
  tar --extract --gzip --file="$work/archive" --directory="$work/tree" --strip-components=1
  # Another run may have been faster.
  mv --no-target-directory "$work/tree" "$directory" 2>/dev/null || [[ -x $directory/check-loans ]] \
    || fail "$directory cannot be written"
)

# Ends with a message, which GitHub shows on the page of the run.
fail() {
  local command=
  [[ ${GITHUB_ACTIONS-} != true ]] || command=::error::
  echo "${command}check-loans: $*" >&2
  exit 69
}

main "$@"
