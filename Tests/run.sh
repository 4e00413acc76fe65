#!/usr/bin/env bash
# run.sh --build: builds the tests and what they test, optimised, with the places where a test can
# stop the program.
#
# run.sh [--list FILE] OPTIONS: runs tests that have been built, those that `swift test` chooses by
# the options, or those in a file, a line SUITE/NAME each. Says once more at the end what was left
# out and what has failed: it would be far up, above hundreds of tests that have passed.
#
# With LIBRARIES, a directory of packaging/libraries.sh, both use these instead of the system's.
set -euo pipefail
cd "$(dirname "$0")/.."

export WARNINGS_AS_ERRORS=1 FAILPOINTS=1
options=(--configuration release -Xswiftc -enable-testing)
if [[ ${LIBRARIES-} ]]; then
  export PKG_CONFIG_PATH=$LIBRARIES/pkgconfig
  options+=(--scratch-path .build-test-archive -Xlinker "-L$LIBRARIES/static")
else
  options+=(--scratch-path .build-test)
fi
case ${1-} in
--build)
  exec swift build --build-tests "${options[@]}" --explicit-target-dependency-import-check error
  ;;
--list)
  # As identifiers, which the option takes for a regular expression.
  names=$(sed -E '/^(#|$)/d; s/[][().*+?|\\$^]/\\&/g; s|/(.*)|/`\1`|' "$2")
  count=$(wc -l <<< "$names")
  shift 2
  set -- --filter "^[A-Za-z]+Tests\.($(paste -sd '|' <<< "$names"))\("
  ;;
esac

if [[ ! -x ${CHECK_LOANS_BINARY-/bin/sh} ]]; then
  echo "run.sh: $CHECK_LOANS_BINARY, which CHECK_LOANS_BINARY names, is not a program" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --skip-build --ignore-lock "${options[@]}" "$@" 2>&1 | tee "$log" || status=$?
left=$(sed -nE 's/^➜ Test .* skipped: "(.*)"$/\1/p' "$log" | sort | uniq -c)
if [[ $left ]]; then
  echo "Tests that were left out, and why:"
  echo "$left"
fi
if (( status )); then
  {
    echo
    echo "What failed:"
    grep '^✘ ' "$log" || true
    echo
    echo "How it ended:"
    tail -n 10 "$log"
  } >&2
fi
run=$(sed -nE 's/^[^ ]* Test run with ([0-9]+) tests? .*/\1/p' "$log" | tail -n 1)
if (( ${run:-0} == 0 || run != ${count:-${run:-0}} )); then
  echo "run.sh: the tests run are ${run:-0}, not ${count:-at least one}" >&2
  status=1
fi
exit "$status"
