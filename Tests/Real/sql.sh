#!/usr/bin/env bash
# sql.sh CHECK_LOANS [koha|evergreen…]: the recipes of docs/formats.md, from the query to a mail, with
# MariaDB and PostgreSQL themselves, each on a socket in a folder of its own, with 10,000 loans in tables of
# the names and types that Koha and Evergreen have.
#
# Needs Debian's packages, and no rights: root lets "nobody" do it. Prints a line for each check, `ok …` or
# `FAILED …`, and ends with 1 if one failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readonly here page=$here/../../docs/formats.md

# MARK: - Outside

main() {
  local binary=$1 system status runner=()
  shift
  (($#)) || set -- koha evergreen
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir "$folder/etc"
  cp "$binary" "$folder/check-loans"
  # Neither server runs as root; what is read is not theirs to see where it is.
  cp "$here/sql.sh" "$here"/{koha,evergreen}.sql "$page" "$folder"
  if ((EUID == 0)); then
    chown -R nobody: "$folder"
    runner=(setpriv --reuid nobody --regid nogroup --clear-groups)
  fi
  for system; do
    status=0
    "${runner[@]}" env -i PATH="$PATH:/usr/sbin" LC_ALL=C HOME="$folder" \
      "$folder/sql.sh" --test "$system" 2>&1 </dev/null | tee -a "$folder/log" || status=$?
    ((status == 0)) || echo "FAILED $system: ended with status $status" | tee -a "$folder/log"
  done
  local passed failed
  passed=$(grep -c '^ok ' "$folder/log" || true) failed=$(grep -c '^FAILED ' "$folder/log" || true)
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

# MARK: - The servers

start_koha() {
  # Debian's own settings name a socket, which no variable overrides.
  printf '[client]\nsocket = %s\n' "$folder/socket" >"$folder/.my.cnf"
  mariadb-install-db --no-defaults --datadir="$folder/koha" \
    --auth-root-authentication-method=normal >"$folder/server.log" 2>&1
  mariadbd --no-defaults --datadir="$folder/koha" --socket="$folder/socket" --skip-networking \
    --pid-file="$folder/pid" >>"$folder/server.log" 2>&1 &
  trap 'kill %1; wait' EXIT
  await mariadb --user=root --execute='SELECT 1'
  mariadb --user=root --execute='CREATE DATABASE koha_library CHARACTER SET utf8mb4'
  admin=(mariadb --user=root --default-character-set=utf8mb4 koha_library)
  "${admin[@]}" <"$folder/koha.sql"
  block 'sudo mariadb' | sed '/^sudo/d; /^END$/d' | named | "${admin[@]}"
  returned='DELETE FROM issues WHERE issue_id = 41'
  broken='DROP TABLE biblio'
}

start_evergreen() {
  export PGHOST=$folder
  local programs
  programs=$(pg_config --bindir 2>/dev/null || dirname "$(ls /usr/lib/postgresql/*/bin/initdb | tail -n 1)")
  "$programs/initdb" --pgdata="$folder/evergreen" --username=postgres --auth=trust --encoding=UTF8 \
    --locale=C >"$folder/server.log" 2>&1
  "$programs/postgres" -D "$folder/evergreen" -k "$folder" -c listen_addresses= \
    >>"$folder/server.log" 2>&1 &
  trap 'kill -INT %1; wait' EXIT
  await psql --username=postgres --quiet --output=/dev/null --command='SELECT 1'
  admin=(psql --username=postgres --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname=evergreen)
  createdb --username=postgres evergreen
  "${admin[@]}" <"$folder/evergreen.sql"
  block 'sudo -u postgres psql' | sed '/^sudo/d; /^END$/d' | named | "${admin[@]}"
  returned='UPDATE action.circulation SET checkin_time = now() WHERE id = 41'
  broken='DROP TABLE reporter.materialized_simple_record'
}

# Waits until a command succeeds.
await() {
  local left=300
  until "$@" >/dev/null 2>&1; do
    ((left-- > 0)) || { cat "$folder/server.log"; exit 1; }
    sleep 0.1
  done
}

# The block of the page that has a text in its first line.
block() {
  awk -v first="$1" '
    /^```/ { inside = !inside; fresh = inside; next }
    fresh { wanted = index($0, first); fresh = 0 }
    inside && wanted' "$folder/formats.md"
}

# The same for whoever runs this, with the folder in place of the machine's.
named() {
  sed "s/check-loans\(['\"]\)/$(id -un)\1/g; s:/etc/check-loans:$folder/etc:g
    s:\"evergreen\"\]:\"--host=$folder\", &:"
}

# MARK: - Inside

test_system() {
  system=$1 folder=$(cd "$(dirname "$0")" && pwd) day=2026-11-26
  "start_$system"
  block "/etc/check-loans/$system.sql" >"$folder/etc/$system.sql"
  { block '/etc/check-loans/config.toml' | sed '/^\[\[catalogue/,$d'; catalogue_table; } | named \
    >"$folder/etc/config.toml"

  run
  check "the first run ends with status 0" ended 0
  check "it says nothing" test ! -s "$folder/words"
  check "all loans are in the schedule" stored 10000
  check "a loan due tomorrow is announced to each of its readers" test "$(letters)" -eq 248
  check "a title has all its characters" has 'Tom & "Jerry'"'"'s" <x> – Tüskevár'
  check "a name has its apostrophe" has "Réka O'Brien 81"
  check "the branch is named" has 'Pobočka „Sever“'
  check "there is no letter about a lost loan" has_not 'Lost'
  check "there is none about one that is reported as returned" has_not 'Claimed'
  check "there is one to the desk about a reader without an address" has 'To: desk@library.example.org'

  "${admin[@]}" <<<"$returned"
  day=2026-11-27
  run
  check "the next day ends with status 0" ended 0
  check "a loan that was returned is gone" stored 9999
  check "there is no letter about it" has_not 'Returned'

  "${admin[@]}" <<<"$broken"
  day=2026-11-28
  run
  check "a query that fails is not silent" test "$status" -ne 0 -a -s "$folder/words"
  check "what was known is kept" stored 9999
  check "and sent" test "$(letters)" -gt 200
}

# The table of the catalogue, which the page has for each of them.
catalogue_table() {
  awk -v file="$system.sql" '
    /^\[\[catalogue/ { table = ""; inside = 1 }
    /^```/ { if (inside && index(table, file)) printf "%s", table; inside = 0 }
    inside { table = table $0 "\n" }' "$folder/formats.md"
}

# Runs it in the morning of DAY, and keeps its words and letters.
run() {
  rm -rf "$folder/Maildir"
  status=0
  loans check --language en --notify "maildir:$folder/Maildir" >"$folder/words" 2>&1 || status=$?
}

loans() {
  "$folder/check-loans" "$@" --config "$folder/etc/config.toml" --state "$folder/$system.sqlite" \
    --now "${day}T07:30:00"
}

letters() { find "$folder/Maildir/new" -type f 2>/dev/null | wc -l; }
stored() { loans status | grep -q "; $1 loans"; }
# Whether a letter has a text in its body, or in a line of its header.
has() {
  python3 - "$folder/Maildir" "$1" <<'END'
import email, email.policy, mailbox, sys
read = lambda file: email.message_from_binary_file(file, policy=email.policy.default)
for letter in mailbox.Maildir(sys.argv[1], factory=read):
    text = letter.get_body(("plain",)).get_content() + f"To: {letter['To']}"
    if sys.argv[2] in " ".join(text.split()):
        sys.exit(0)
sys.exit(1)
END
}
has_not() { ! has "$1"; }
ended() { ((status == $1)); }

# check WORDS COMMAND…: whether a command succeeds; if not, prints what check-loans said.
check() {
  local words=$1
  shift
  if "$@"; then
    echo "ok $system: $words"
  else
    echo "FAILED $system: $words"
    echo "  $*: status ${status:-}, $(letters) letters"
    sed 's/^/  /' "$folder/words"
  fi
}

case $1 in
  --test) test_system "$2" ;;
  *) main "$@" ;;
esac
