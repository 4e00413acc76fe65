#!/usr/bin/env bash
# deb.sh PACKAGE: installs the Debian package in a throw-away copy of this machine's root, whose changes
# are kept in memory, and runs its service there by a systemd of its own; then upgrades, removes and
# purges it.
#
# Needs root, systemd-nspawn and Debian's packages. Prints a line for each check, `ok …` or `FAILED …`,
# and ends with 1 if one failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readonly here real=/real settings=/etc/check-loans/config.toml state=/var/lib/check-loans
# shellcheck source=Tests/Real/check.sh
. "$here/check.sh"

# MARK: - Outside

main() {
  local package=$1 passed failed
  ((EUID == 0)) || die "this mounts and installs; run it as root"
  top=$(mktemp -d)
  trap 'rm -rf "$top"' EXIT
  make_next "$package"
  # Its mounts end with the last of its processes.
  unshare --mount --fork --kill-child -- "$here/deb.sh" --boot "$top" "$package" </dev/null
  passed=$(grep -c '^ok ' "$top/log" || true) failed=$(grep -c '^FAILED ' "$top/log" || true)
  echo "$passed passed, $failed failed"
  grep -qx 'the end' "$top/log" || die "it did not come to its end"
  ((failed == 0))
}

# Makes the package of a higher version, whose unit is another.
make_next() {
  dpkg-deb --raw-extract "$1" "$top/next"
  sed -i 's/^Version: .*/&+1/' "$top/next/DEBIAN/control"
  sed -i 's/^TimeoutStartSec=.*/TimeoutStartSec=16min/' "$top/next/usr/lib/systemd/system/check-loans.service"
  dpkg-deb --build "$top/next" "$top/next.deb" >/dev/null
}

die() {
  echo "deb.sh: $*" >&2
  exit 1
}

# MARK: - Between

# Makes the root, and boots it to a service that runs the tests.
boot() {
  local top=$1 package=$2 memory=$1/memory root=$1/memory/root
  mkdir "$memory"
  mount -t tmpfs tmpfs "$memory"
  mkdir "$memory"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$memory/upper,workdir=$memory/work" "$root"
  mkdir -p "$root$real/source"
  cp "$here"/{deb,check}.sh "$package" "$root$real"
  cp "$top/next.deb" "$root$real"
  cp -r "$here/../../packaging/debian" "$root$real/source"
  printf '%s\n' '[Unit]' 'DefaultDependencies=no' '[Service]' 'Type=oneshot' \
    "ExecStart=$real/deb.sh --test" 'StandardOutput=append:/real/log' 'StandardError=inherit' \
    'Environment=LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive HOME=/root' \
    'ExecStopPost=systemctl --force poweroff' >"$root/etc/systemd/system/real.service"
  touch "$root$real/log"
  tail --follow --lines=+1 "$root$real/log" &
  systemd-nspawn --quiet --keep-unit --register=no --directory="$root" --boot \
    systemd.unit=real.service >"$top/boot" 2>&1 || cat "$top/boot"
  sleep 1
  kill $!
  cp "$root$real/log" "$top/log"
}

# MARK: - Inside

test_package() {
  cd $real
  # Nothing of an installation that this machine may have.
  apt-get -qq purge --yes check-loans >/dev/null 2>&1 || true
  rm -f /usr/local/bin/check-loans
  rm -rf $state /etc/check-loans
  names >$real/before
  test_installation
  test_reports
  test_strict_service
  test_credentials
  test_owner
  test_mail
  test_upgrade
  test_removal
  echo "the end"
}

# What was printed last.
details() { cat $real/words; }

# Runs a command, and keeps its words in /real/words and its status in STATUS.
run() {
  status=0
  "$@" >$real/words 2>&1 || status=$?
}

ended() { ((status == $1)); }
says() { grep -qF -e "$1" $real/words; }
apt() { run apt-get -qq --yes --allow-downgrades -o Dpkg::Use-Pty=0 "$@"; }
property() { [[ $(systemctl show --property "$2" --value "$1") == "$3" ]]; }
have() { (($(find "$1" -type f 2>/dev/null | wc -l) == $2)); }
as_account() { run runuser -u check-loans -- env -i HOME=$state PATH=/usr/bin:/bin "$@"; }

# Starts the service, and keeps what it wrote to the journal.
start_service() {
  local since
  since=$(date '+%F %T')
  status=0
  systemctl reset-failed check-loans.service 2>/dev/null || true
  # Where a run that has failed waits to be tried again, start would wait with it.
  systemctl restart check-loans.service >/dev/null 2>&1 || status=$?
  journalctl --sync 2>/dev/null || true
  journalctl --no-pager --since "$since" --unit check-loans.service >$real/words 2>&1 || true
}

# await WORDS COMMAND…: the same as check, for what takes up to half a minute.
await() {
  local words=$1 left=150
  shift
  until "$@" || ((left-- == 0)); do sleep 0.2; done
  check "$words" "$@"
}

test_installation() {
  # Somebody else's, for all to write to.
  install -d -m 777 $state
  apt install ./check-loans_*.deb
  check "apt installs the package" ended 0
  check "its user has its home in $state" \
    test "$(getent passwd check-loans | cut -d : -f 6)" = $state
  check "$state is its user's alone" test "$(stat --format '%U %a' $state)" = 'check-loans 700'
  check "nothing is started yet" property check-loans.timer ActiveState inactive
  check "nothing is enabled yet" property check-loans.timer UnitFileState disabled
  check "its units are where later systems have them" \
    test -e /usr/lib/systemd/system/check-loans.timer
  check "the notices of what is linked into it are there" \
    grep -q 'Mark Gillard' /usr/share/doc/check-loans/copyright
  systemctl start check-loans.service
  check "without settings the service has nothing to do" \
    property check-loans.service ConditionResult no
  run sh -c 'man --where check-loans && man --where check-loans.toml'
  check "its manual is found" ended 0
  zcat /usr/share/doc/check-loans/changelog.gz >source/debian/changelog
  run autopkgtest --no-built-binaries check-loans_*.deb $real/source/ -- null
  check "its own tests pass" ended 0
}

test_reports() {
  run setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH=/usr/bin:/bin \
    check-loans --state none --now 2026-11-21 /usr/share/doc/check-loans/examples/books.xml
  check "nobody gets a first report" says '"Abigél" expires tomorrow'
  mkdir -p /srv/library /etc/check-loans
  printf '<books>%s</books>\n' "<book id='1'><title>Abigél</title><borrower>Root</borrower>
    <email>desk@desk.example.org</email>
    <expiration>$(date --date tomorrow +%Y.%m.%d)</expiration></book>" >/srv/library/books.xml
}

# Writes settings with these channels.
configure() {
  printf 'catalogues = ["/srv/library/books.xml"]\nmail-from = "Desk <desk@desk.example.org>"\n' \
    >$settings
  printf 'notify = [%s]\n' "$1" >>$settings
}

test_strict_service() {
  configure "\"stdout\", \"maildir:$state/Maildir\""
  start_service
  check "the strict service runs" ended 0
  check "its notices are in the journal" says '"Abigél" expires tomorrow'
  check "its message is in the Maildir" have $state/Maildir/new 1
  check "it had no new privileges" property check-loans.service NoNewPrivileges yes
  check "its schedule is its own" \
    test "$(stat --format '%U %a' $state/schedule.sqlite)" = 'check-loans 600'
  as_account check-loans status
  check "its account finds the settings and the schedule" ended 0
  start_service
  check "a second run ends well" ended 0
  check "a second run sends nothing" have $state/Maildir/new 1

  mkdir -m 700 /srv/desk
  chown check-loans: /srv/desk
  configure '"maildir:/srv/desk/Maildir"'
  start_service
  check "another place is closed to the service of the package" ended 1
  check "which says so" says 'read-only file system'
  mkdir -m 700 /srv/desk/Maildir
  chown check-loans: /srv/desk/Maildir
  run check-loans timer install --system
  check "the command makes a service for the settings" ended 0
  check "that is strict, too" says '# Strict: '
  check "its timer is started" property check-loans.timer ActiveState active
  check "its timer is enabled" property check-loans.timer UnitFileState enabled
  start_service
  check "it may write to the other place" ended 0
  check "its message is there" have /srv/desk/Maildir/new 1
}

# A password by systemd, and a run that fails the first time.
test_credentials() {
  local dropin=/etc/systemd/system/check-loans.service.d
  mkdir -p $dropin
  echo "the password" >/etc/check-loans/smtp-password
  printf '%s\n' '[Service]' 'LoadCredential=smtp:/etc/check-loans/smtp-password' 'RestartSec=1s' \
    >$dropin/test.conf
  # shellcheck disable=SC2016 # there
  printf '%s\n' '#!/bin/sh' 'cat >/dev/null' "cd $state" '[ -e tried ] || { : >tried; exit 75; }' \
    'cp "$CREDENTIALS_DIRECTORY/smtp" seen' >/usr/local/bin/msmtp
  chmod 755 /usr/local/bin/msmtp
  rm -f $state/schedule.sqlite*
  configure '"mail"'
  echo 'mail-program = ["/usr/local/bin/msmtp"]' >>$settings
  run check-loans timer install --system
  check "with a program of that name the service is strict" says '# Strict: '
  start_service
  check "a run whose mail fails has failed" ended 1
  await "it is tried again, and the mail program has the password" \
    grep -qs 'the password' $state/seen
  await "and then it has worked" property check-loans.service Result success
  rm -r $dropin /usr/local/bin/msmtp $state/seen $state/tried
}

# What somebody else can replace is not run with the machine's settings.
test_owner() {
  useradd --create-home reader
  install -D --owner=reader /usr/bin/check-loans /home/reader/bin/check-loans
  run /home/reader/bin/check-loans timer install --system
  check "a program of another user is not installed as the service" ended 77
  check "which says why" says 'users other than root can write to'
  userdel --remove reader >/dev/null 2>&1
}

# Mail through local mail systems, which need the rights that a strict service takes away.
test_mail() {
  useradd --create-home desk
  echo desk.example.org >/etc/mailname
  printf '127.0.0.1 localhost desk.example.org\n' >/etc/hosts
  local system
  for system in postfix exim4-daemon-light; do
    apt install --no-install-recommends $system
    check "$system is installed" ended 0
    "configure_$system"
    rm -f /var/mail/desk $state/schedule.sqlite*
    configure '"mail"'
    run check-loans timer install --system
    check "the command makes a service for $system" says '# Confined by mounts alone, since mail'
    start_service
    check "it hands mail to $system" ended 0
    await "$system delivers it" grep -qs Abig /var/mail/desk
    check "its user may gain rights" property check-loans.service NoNewPrivileges no
    test_msmtp $system
  done
}

# The same mail system, by a program that needs no rights of its own.
test_msmtp() {
  apt install --no-install-recommends msmtp
  printf '%s\n' 'account default' 'host localhost' 'port 25' 'tls off' 'syslog off' >/etc/msmtprc
  rm -f /var/mail/desk $state/schedule.sqlite*
  configure '"mail"'
  echo 'mail-program = ["/usr/bin/msmtp"]' >>$settings
  run check-loans timer install --system
  check "with msmtp the service is strict" says '# Strict: '
  start_service
  check "it hands mail to msmtp" ended 0
  await "msmtp has $1 deliver it" grep -qs Abig /var/mail/desk
}

configure_postfix() {
  postconf -e 'myhostname = desk.example.org' 'mydestination = desk.example.org' \
    'inet_interfaces = loopback-only' 'inet_protocols = ipv4'
  newaliases
  systemctl restart postfix
}

configure_exim4-daemon-light() {
  sed -i -e "s/^dc_other_hostnames=.*/dc_other_hostnames='desk.example.org'/" \
    -e "s/^dc_eximconfig_configtype=.*/dc_eximconfig_configtype='local'/" \
    -e "s/^dc_localdelivery=.*/dc_localdelivery='mail_spool'/" /etc/exim4/update-exim4.conf.conf
  update-exim4.conf
  systemctl restart exim4
}

test_upgrade() {
  local before
  rm -rf /etc/systemd/system/check-loans.*
  systemctl daemon-reload
  systemctl enable --now check-loans.timer >/dev/null 2>&1
  check "its unit has its time" property check-loans.service TimeoutStartUSec 15min
  before=$(sha256sum $state/schedule.sqlite $settings)
  apt install ./next.deb
  check "a higher version is installed over it" ended 0
  check "its schedule and settings are unchanged" \
    test "$(sha256sum $state/schedule.sqlite $settings)" = "$before"
  check "its timer goes on" property check-loans.timer ActiveState active
  check "the next run is that of the new unit" property check-loans.service TimeoutStartUSec 16min
  check "nothing is left to reload" property check-loans.service NeedDaemonReload no
  start_service
  check "its service still runs" ended 0
}

test_removal() {
  run check-loans timer install --system
  run check-loans timer install --system --name loans-east
  # Of an installation by hand, which goes on.
  printf '%s\n' '[Service]' 'ExecStart=/usr/local/bin/check-loans' \
    >/etc/systemd/system/by-hand.service
  head -n 1 /etc/systemd/system/loans-east.timer >/etc/systemd/system/by-hand.timer
  # Of an installation by hand, which root would find first.
  printf '#!/bin/sh\necho "$*" >%s/other\n' $real >/usr/local/bin/check-loans
  chmod 755 /usr/local/bin/check-loans
  apt remove check-loans
  check "no other program of its name is run" test ! -e $real/other
  rm /usr/local/bin/check-loans
  check "it is removed" ended 0
  check "the settings are kept" test -e $settings
  check "no unit is left that would fail" \
    test -z "$(find /etc/systemd -name '*check-loans*' -o -name 'loans-east*')"
  check "nor a unit touched that another program has" rm /etc/systemd/system/by-hand.timer
  rm /etc/systemd/system/by-hand.service
  apt install ./next.deb
  systemctl enable --now check-loans.timer
  # By it images for containers keep packages from starting and stopping services.
  rm -f /usr/sbin/policy-rc.d
  check "its own timer is started by hand" property check-loans.timer ActiveState active
  apt purge check-loans
  check "its own timer is stopped" property check-loans.timer ActiveState inactive
  check "it is purged" ended 0
  check "purging says what is kept" says "$state is kept"
  check "the schedule is kept" test -e $state/schedule.sqlite
  names | comm -13 $real/before - >$real/words
  check "nothing else is left" test "$(cat $real/words)" = $state
}

# What is named after the program, but for logs.
names() {
  find / -xdev -name '*check-loans*' -not -path '/var/log/*' -not -path "$real/*" | sort
}

case ${1:-} in
  --boot) boot "${@:2}" ;;
  --test) test_package ;;
  '') die "usage: deb.sh PACKAGE" ;;
  *) main "$@" ;;
esac
