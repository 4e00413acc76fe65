#!/usr/bin/env bash
# Runs tests that have been built, and tells once more at the end what has failed: it would be far
# up, behind hundreds of tests that have passed.
set -euo pipefail

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
swift test --skip-build "$@" 2>&1 | tee "$log" || status=$?
if (( status )); then
  echo >&2
  echo "What failed:" >&2
  grep -A 3 '^✘ ' "$log" >&2 || tail -n 20 "$log" >&2
fi
exit "$status"
