# The checks of the scripts beside it, which source this. Each says by `details` what to look at after a failure.
# shellcheck shell=bash

# Whether a check has failed.
failed=0

# check WORDS COMMAND…: whether a command succeeds; if not, prints the details.
check() {
  local words=$1
  shift
  if "$@"; then
    echo "ok $words"
  else
    # shellcheck disable=SC2034 # of the script
    failed=1
    echo "FAILED $words: $*"
    details | sed 's/^/  /'
  fi
}
