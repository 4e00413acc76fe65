#!/usr/bin/env bash
# Compares check-loans with xmllint on the same catalogues; README.md, beside this, explains.
set -euo pipefail

readonly now=2026-11-21T07:00
readonly seed=1
readonly small=books.xml
readonly small_runs=500

fail() {
  printf 'bench: %s\n' "$1" >&2
  exit "${2:-1}"
}

need() {
  command -v "$1" >/dev/null || fail "$1 not found: install $2"
}

positive() {
  [[ $2 =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1: expected 1 to 9999999, found \"$2\"" 64
}

# One command line for hyperfine -N, which splits words as a shell does.
quoted() {
  local word words=()
  for word in "$@"; do
    words+=("'${word//"'"/"'\\''"}'")
  done
  printf '%s' "${words[*]}"
}

# The state of one series of runs, in a directory of its own with its lock and journal.
fresh_state() {
  mkdir -m 700 "$work/$1"
  printf '%s' "$work/$1/schedule.sqlite"
}

build_catalogue() {
  local wanted
  wanted="$loans $seed ${now%T*} $(cksum <"$here/generate.py")"
  if [[ -f $big && -f $big.made-from && $(<"$big.made-from") == "$wanted" ]]; then
    return
  fi
  rm -f -- "$big.made-from"
  echo "writing a catalogue of $loans loans" >&2
  "$here/generate.py" "$loans" "$seed" --today "${now%T*}" --output "$big"
  printf '%s\n' "$wanted" >"$big.made-from"
  rm -rf -- "$big.files"
}

# The same loans in files of 1,000.
split_catalogue() {
  [[ -f $big.files/list ]] || "$here/split.py" "$big" "$big.files" 1000
}

# A program started by Python counts Python's own memory, about 10 MB, as the least it used.
choose_meter() {
  local figure=$work/figure
  if /usr/bin/time -q -f %M -o "$figure" true 2>/dev/null && [[ $(<"$figure") =~ ^[0-9]+$ ]]; then
    meter=(/usr/bin/time -q -f %M -o "$figure")
    return
  fi
  echo "bench: no GNU time: no peak below about 10 MB can be told" >&2
  meter=(python3 "$here/peak.py" "$figure")
}

# Runs a command once, so that it is known to work before it is timed, and keeps its peak.
measure_peak() {
  local name=$1 status=0
  shift
  "${meter[@]}" "$@" >/dev/null 2>"$work/trouble" || status=$?
  if ((status != 0)); then
    fail "\"$name\" exited with status $status: $(head -n 1 "$work/trouble")"
  fi
  printf '%s\t%s\n' "$name" "$(<"$work/figure")" >>"$work/peaks"
}

(($# == 1)) || fail "usage: Benchmarks/run.sh PATH/TO/check-loans" 64
tool=$1
[[ $tool == */* ]] || tool=./$tool
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
loans=${BENCH_LOANS:-1000000}
runs=${BENCH_RUNS:-5}
dir=${BENCH_DIR:-.build-bench}

positive BENCH_LOANS "$loans"
positive BENCH_RUNS "$runs"
[[ -f $tool && -x $tool ]] || fail "no program at $tool: build it first"
[[ -f $small ]] || fail "no $small here: run from the root of the repository"
need python3 python3
need xmllint libxml2-utils
need hyperfine hyperfine

# The user's own settings would change what is measured.
for variable in "${!CHECK_LOANS_@}"; do
  unset "$variable"
done

mkdir -p -- "$dir" 2>/dev/null || fail "cannot create $dir"
dir=$(cd -- "$dir" && pwd)
work=$(mktemp -d "$dir/work.XXXXXX")
trap 'rm -rf -- "$work"' EXIT

big=$dir/loans-$loans.xml
build_catalogue
split_catalogue
bytes=$(stat -c %s -- "$big")
megabytes=$(LC_ALL=C awk -v bytes="$bytes" 'BEGIN { printf "%.1f", bytes / 1e6 }')
title="BIG: $loans loans, $megabytes MB, $runs runs; $small: $small_runs runs"
echo "$title" >&2

first=$(fresh_state first)
again=$(fresh_state again)
usual=$(fresh_state usual)

xmllint_big=(xmllint --sax --noout "$big")
validate_big=("$tool" validate "$big")
validate_files=("$tool" validate --files-from "$big.files/list")
check_first=("$tool" check --state "$first" --now "$now" "$big")
check_again=("$tool" check --state "$again" --now "$now" "$big")
xmllint_small=(xmllint --noout "$small")
validate_small=("$tool" validate "$small")
check_small=("$tool" check --state "$usual" --now "$now" "$small")

choose_meter
measure_peak "xmllint --sax --noout BIG" "${xmllint_big[@]}"
measure_peak "check-loans validate BIG" "${validate_big[@]}"
measure_peak "check-loans validate FILES" "${validate_files[@]}"
measure_peak "check-loans check BIG, first" "${check_again[@]}"
measure_peak "check-loans check BIG, again" "${check_again[@]}"
measure_peak "xmllint --noout books.xml" "${xmllint_small[@]}"
measure_peak "check-loans validate books.xml" "${validate_small[@]}"
"${check_small[@]}" >/dev/null
measure_peak "check-loans check books.xml, again" "${check_small[@]}"

hyperfine -N --warmup 1 --runs "$runs" --export-json "$dir/big.json" \
  --prepare true -n "xmllint --sax --noout BIG" "$(quoted "${xmllint_big[@]}")" \
  --prepare true -n "check-loans validate BIG" "$(quoted "${validate_big[@]}")" \
  --prepare "$(quoted find "$work/first" -mindepth 1 -delete)" \
  -n "check-loans check BIG, first" "$(quoted "${check_first[@]}")" \
  --prepare true -n "check-loans check BIG, again" "$(quoted "${check_again[@]}")" >&2

hyperfine -N --warmup 1 --runs "$runs" --export-json "$dir/files.json" \
  -n "check-loans validate BIG" "$(quoted "${validate_big[@]}")" \
  -n "check-loans validate FILES" "$(quoted "${validate_files[@]}")" >&2

hyperfine -N --warmup 20 --runs "$small_runs" --export-json "$dir/small.json" \
  -n "xmllint --noout books.xml" "$(quoted "${xmllint_small[@]}")" \
  -n "check-loans validate books.xml" "$(quoted "${validate_small[@]}")" \
  -n "check-loans check books.xml, again" "$(quoted "${check_small[@]}")" >&2

python3 "$here/table.py" "$title" "$work/peaks" "$dir/big.json" "$dir/files.json" "$dir/small.json" \
  >"$work/results.txt"
mv -- "$work/results.txt" "$dir/results.txt"
cat -- "$dir/results.txt"
