#!/usr/bin/env bash
# baseline.sh BINARY [LIBRARY…]: makes sure that a binary needs nothing that a system of 2022 does not have
# (Ubuntu 22.04, Debian 12 and all that came after): no later glibc and libstdc++, and no libraries but
# these and those named.
set -euo pipefail
readonly binary=$1 glibc=2.35 glibcxx=3.4.30
shift
status=0

# newest PREFIX: the newest version with this prefix that a symbol of the binary has.
newest() {
  objdump --dynamic-syms "$binary" | { grep -oE "\b$1_[0-9.]+" || true; } | sort -uV | tail -n 1
}

refuse() {
  echo "baseline.sh: $binary needs $*; make it on Debian 12" >&2
  status=1
}

for limit in "GLIBC_$glibc" "GLIBCXX_$glibcxx"; do
  found=$(newest "${limit%_*}")
  if [[ $(printf '%s\n' "$found" "$limit" | sort -V | tail -n 1) != "$limit" ]]; then
    refuse "$found, later than $limit"
  fi
done
for library in $(objdump --private-headers "$binary" | awk '$1 == "NEEDED" { print $2 }'); do
  case " libc.so.6 libm.so.6 libgcc_s.so.1 libstdc++.so.6 $* " in
    *" $library "*) ;;
    *) [[ $library == ld-linux-* ]] || refuse "$library" ;;
  esac
done
exit $status
