#!/usr/bin/env bash
# run.sh address|thread: builds the suite with a sanitizer and runs it, without what is named in
# address.skip or thread.skip.
set -euo pipefail
cd "$(dirname "$0")/../.."
sanitizer=$1
here=Tests/Sanitizers
# The rooms of the library, and what the command does with catalogues and files, as far as it runs in
# the tests' own process or is indifferent to the command's speed, memory and environment.
library='(Loans|LoanCatalogue|LoanRules|ReminderSchedule|ReminderService|Notifiers)Tests'
rooms='ValidationTests\.(FindingsForm|Fixing|FixingRefusal|UnifiedDiff|Validate[A-Za-z]*)Tests'
command='CheckLoansTests\.(FileWatch|StrictJSON|Troubles|WatchPlan)Tests'
suites=${SUITES:-$library|$rooms|$command}

skips=()
while IFS= read -r name; do
  skips+=(--skip "$name")
done < <(sed -E '/^(#|$)/d' "$here/$sanitizer.skip")

export FAILPOINTS=1
# Swift's own report of a crash would hang in a program that a sanitizer has taken over.
export SWIFT_BACKTRACE=enable=no
# Leaks are looked for as well, but for those in leaks.txt.
export ASAN_OPTIONS=detect_leaks=1
export LSAN_OPTIONS=suppressions=$PWD/$here/leaks.txt:print_suppressions=0
export TSAN_OPTIONS=suppressions=$PWD/$here/races.txt:halt_on_error=0:exitcode=66
# Optimized, since plain code with a sanitizer takes hours for what is tried on each byte.
options=(
  --configuration release -Xswiftc -enable-testing
  --sanitize "$sanitizer" --scratch-path ".build-${sanitizer:0:1}san"
)
swift build --build-tests "${options[@]}"
swift test --skip-build "${options[@]}" --filter "^($suites)" "${skips[@]}"
