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
  grep '^✘ ' "$log" >&2 || true
  echo >&2
  echo "How it ended:" >&2
  tail -n 10 "$log" >&2
fi
exit "$status"
