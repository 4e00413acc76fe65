#!/usr/bin/env bash
# mail.sh CHECK_LOANS [SYSTEM…]: sends mail through real mail systems, each in a throw-away copy of
# this machine's root whose changes are kept in memory, without a network once it is installed.
#
# Needs root and Debian's packages. Prints a line for each check, `ok …` or `FAILED …`, and ends with
# 1 if one failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readonly here mail=/real/mail

# MARK: - Outside

main() {
  local binary=$1 system status
  shift
  (($#)) || set -- msmtp postfix exim4 nullmailer dma
  ((EUID == 0)) || die "this mounts and installs; run it as root"
  log=$(mktemp) root=$(mktemp -d)
  trap 'rm -f "$log"; rmdir "$root"' EXIT
  for system; do
    status=0
    # What it starts ends with the first of the processes it sees, and its mounts with the last.
    unshare --mount --uts --ipc --pid --fork --kill-child -- \
      "$here/mail.sh" --mount "$root" "$binary" "$system" </dev/null 2>&1 | tee -a "$log" || status=$?
    ((status == 0)) || echo "FAILED $system: ended with status $status" | tee -a "$log"
  done
  local passed failed
  passed=$(grep -c '^ok ' "$log" || true) failed=$(grep -c '^FAILED ' "$log" || true)
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0))
}

die() {
  echo "mail.sh: $*" >&2
  exit 1
}

# MARK: - Between

# Makes the root, and goes there.
mount_root() {
  local top=$1 binary=$2 system=$3
  mount -t tmpfs tmpfs "$top"
  mkdir "$top"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$top/upper,workdir=$top/work" "$top/root"
  mount --rbind /dev "$top/root/dev"
  mount -t proc proc "$top/root/proc"
  mount -t tmpfs -o mode=1777 tmpfs "$top/root/tmp"
  mkdir -p "$top/root$mail"
  cp "$binary" "$top/root/real/check-loans"
  cp "$here"/{mail.sh,server.py,judge.py,mail.xml} "$top/root/real"
  hostname desk.example.org
  # Nothing of the caller's settings belongs there.
  exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive chroot "$top/root" /real/mail.sh --install "$system"
}

# Installs a mail system, and goes where there is no network.
install_system() {
  local system=$1 package=$1
  case $system in
    msmtp) package=msmtp-mta ;;
    exim4) package=exim4-daemon-light ;;
  esac
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod 755 /usr/sbin/policy-rc.d
  printf '127.0.0.1 localhost desk.example.org desk\n' >/etc/hosts
  local packages=("$package" python3-aiosmtpd tzdata)
  install_packages >/var/log/install 2>&1 || { apt-get -qq update && install_packages; } \
    >>/var/log/install 2>&1 || { tail /var/log/install; die "$package cannot be installed"; }
  useradd --create-home desk
  exec unshare --net -- /real/mail.sh --test "$system"
}

install_packages() {
  apt-get -qq install --yes --no-install-recommends "${packages[@]}"
}

# MARK: - Inside

test_system() {
  system=$1
  ip link set lo up
  sed 's/"bela jr"/bela/' /real/mail.xml >/real/unquoted.xml
  start_server
  "configure_$system"
  as_desk --dry-run >/real/dry.mbox
  "test_$system"
}

start_server() {
  behave 250
  touch $mail/{tries,received}
  python3 /real/server.py $mail >/real/server.log 2>&1 &
  await "the SMTP server starts" test -e $mail/ready
}

# The next answers of the SMTP server.
behave() { echo "$*" >$mail/behaviour; }

# Runs check-loans as somebody without rights, with the schedule STATE, and RUNNER before it.
as_desk() {
  setpriv --reuid desk --regid desk --init-groups "${runner[@]}" env HOME=/home/desk \
    /real/check-loans --config none --state "/home/desk/$state.sqlite" \
    --time-zone Europe/Budapest --language hu --now 2026-11-25T09:00:00 --remind 3 \
    --notify mail --mail-from 'Városi Könyvtár <desk@example.org>' \
    --mail-bounce bounce@example.org "$@" "$catalogue"
}
runner=() state=first catalogue=/real/mail.xml

# Runs it, and keeps its words in /real/words and its time in TOOK.
run() {
  status=0
  local began=$SECONDS
  as_desk "$@" >/real/words 2>&1 || status=$?
  took=$((SECONDS - began))
}

# check WORDS COMMAND…: whether a command succeeds; if not, prints what check-loans said.
check() {
  local words=$1
  shift
  if "$@"; then
    echo "ok $system: $words"
  else
    echo "FAILED $system: $words"
    echo "  $*: status ${status:-}, ${took:-} s, $(wc -l <$mail/tries) recipients asked for"
    sed 's/^/  /' /real/words
  fi
}

ended() { ((status == $1)); }
says() { grep -qF -e "$1" /real/words; }
silent() { [[ ! -s /real/words ]]; }
asked() { (($(wc -l <$mail/tries) == $1)); }
arrived() { (($(wc -l <$mail/received) == $1)); }
pending() { (($(as_desk_list | wc -l) == $1)); }

# What a run would send now, or try again.
as_desk_list() {
  setpriv --reuid desk --regid desk --init-groups env HOME=/home/desk \
    /real/check-loans schedule list --due --config none --state "/home/desk/$state.sqlite" \
    --time-zone Europe/Budapest --now 2026-11-25T09:00:00
}

# await WORDS COMMAND…: the same for what takes up to half a minute.
await() {
  local words=$1 left=150
  shift
  until "$@" || ((left-- == 0)); do sleep 0.2; done
  check "$words" "$@"
}

# Begins with another schedule, and nothing sent.
anew() {
  state=$1
  : >$mail/tries
  : >$mail/received
}

# A first run delivers everything, a second one nothing.
deliver_all() {
  run
  check "a run ends with status 0" ended 0
  await "five messages arrive" arrived 5
  run
  check "a second run ends with status 0" ended 0
  check "a second run says nothing" silent
  sleep 2
  python3 /real/judge.py "$system" /real/dry.mbox $mail/received || true
}

# MARK: - msmtp, which asks the server while it is waited for

configure_msmtp() {
  printf '%s\n' 'account default' 'host 127.0.0.1' 'port 2525' 'syslog off' >/etc/msmtprc
  catalogue=/real/unquoted.xml
  dpkg-query --show msmtp-mta
}

test_msmtp() {
  deliver_all

  # msmtp takes the name for a comment, and asks the server for @example.org.
  anew quoted
  catalogue=/real/mail.xml
  run
  catalogue=/real/unquoted.xml
  check "an address in quotation marks, which msmtp cannot read, ends with status 69" ended 69
  check "such an address is a fault of the address" says "correct the address"
  check "such an address leaves the others alone" arrived 4

  anew slow
  behave slow
  run
  check "a server that greets after 15 s is waited for" test "$status" -eq 0 -a "$took" -ge 15
  check "its messages arrive" arrived 5

  anew refused
  behave 550
  run
  check "550 for everyone ends with status 69" ended 69
  check "550 for everyone ends the run after three" asked 3
  check "550 for everyone may be a fault of the mail system" says "or check the channel"
  behave 250
  run
  check "after 550 for everyone all are delivered" arrived 5

  anew one
  behave 550 vadas@example.org
  run
  check "550 for one reader ends with status 69" ended 69
  check "550 for one reader leaves the others alone" arrived 4
  behave 250
  run
  check "after 550 for one reader nobody is tried again" asked 5

  anew sender
  behave 550 bounce@example.org
  run
  check "550 for the sender ends with status 69" ended 69
  check "550 for the sender is no fault of an address" says "check the mail system"
  behave 250
  run
  check "after 550 for the sender all are delivered" arrived 5

  anew later
  behave 451
  run
  check "451 ends with status 69" ended 69
  check "451 is a fault of the moment" says "if this persists, check the mail system"
  check "451 three times ends the run" asked 3
  check "after 451 all stay pending" pending 5
  run
  check "after 451 a second run tries again" asked 6
  behave 250
  run
  check "after 451 all are delivered" arrived 5
  check "after 451 each reader got one message" test "$(sort -u $mail/received | wc -l)" -eq 5

  anew dead
  printf '%s\n' '#!/bin/sh' 'echo >>/tmp/attempts' 'exec /usr/sbin/sendmail "$@"' >/real/counting
  chmod 755 /real/counting
  sed -i 's/^port .*/port 2526/' /etc/msmtprc
  run --mail-program /real/counting
  check "a dead port ends with status 69" ended 69
  check "a dead port is a fault of the moment" says "if this persists, check the mail system"
  check "a dead port is tried three times" test "$(wc -l </tmp/attempts)" -eq 3
  check "after a dead port all stay pending" pending 5
  sed -i 's/^port .*/port 2525/' /etc/msmtprc
  run
  check "after a dead port all are delivered" arrived 5
}

# MARK: - postfix, which takes everything and delivers it later

configure_postfix() {
  postconf -e 'myhostname = desk.example.org' 'mydestination =' 'relayhost = [127.0.0.1]:2525' \
    'smtp_dns_support_level = disabled' 'inet_interfaces = loopback-only' \
    'inet_protocols = ipv4' 'maillog_file = /var/log/mail.log'
  newaliases
  postfix start >/dev/null 2>&1
  dpkg-query --show postfix
}

test_postfix() {
  deliver_all
  test_postfix_users
  test_postfix_privileges
}

# Delivery to users of the machine.
test_postfix_users() {
  anew users
  local user
  for user in eszter anna vadas dot bela; do useradd --create-home "$user"; done
  catalogue=/real/unquoted.xml
  postconf -e 'mydestination = example.org' 'home_mailbox = Maildir/' 'recipient_delimiter = +'
  postfix stop >/dev/null 2>&1
  postfix start >/dev/null 2>&1
  as_desk --dry-run >/real/dry.mbox
  run
  check "with users a run ends with status 0" ended 0
  await "with users five messages arrive" users_have 5
  python3 /real/judge.py "$system with users" /real/dry.mbox /home || true
  users_have 5 || tail /var/log/mail.log
}

users_have() { (($(find /home/*/Maildir/new -type f 2>/dev/null | wc -l) == $1)); }

# Without new privileges its set-group-ID program can write no queue, and tries for ever.
test_postfix_privileges() {
  anew privileges
  postconf -e 'mydestination ='
  postfix stop >/dev/null 2>&1
  postfix start >/dev/null 2>&1
  runner=(setpriv --no-new-privs)
  run --mail-limit 1
  runner=()
  check "without new privileges a run ends with status 69" ended 69
  check "without new privileges it ends after a minute" test "$took" -ge 60 -a "$took" -le 70
  check "without new privileges it says so" says "check the mail system"
  check "without new privileges nothing is left running" test -z "$(pgrep -u desk || true)"
  run
  check "with them a run ends with status 0" ended 0
  await "with them all five are delivered" arrived 5
  sleep 2
  check "with them nobody gets two" arrived 5
}

# MARK: - exim4

configure_exim4() {
  printf '%s\n' "dc_eximconfig_configtype='smarthost'" "dc_other_hostnames=''" \
    "dc_local_interfaces='127.0.0.1'" "dc_readhost=''" "dc_relay_domains=''" "dc_minimaldns='false'" \
    "dc_relay_nets=''" "dc_smarthost='127.0.0.1::2525'" "CFILEMODE='644'" "dc_use_split_config='false'" \
    "dc_hide_mailname=''" "dc_mailname_in_oh='true'" "dc_localdelivery='mail_spool'" \
    >/etc/exim4/update-exim4.conf.conf
  # The server is on this host, which is otherwise taken for a loop.
  sed -i '/^smarthost:/a self = send' /etc/exim4/exim4.conf.template
  echo desk.example.org >/etc/mailname
  update-exim4.conf
  dpkg-query --show exim4-daemon-light
}

test_exim4() { deliver_all; }

# MARK: - nullmailer

configure_nullmailer() {
  # nullmailer writes addresses of headers anew, and loses their quotation marks.
  catalogue=/real/unquoted.xml
  echo desk.example.org >/etc/nullmailer/me
  echo '127.0.0.1 smtp --port=2525' >/etc/nullmailer/remotes
  rm -f /etc/nullmailer/adminaddr
  setpriv --reuid mail --regid mail --clear-groups nullmailer-send >/real/nullmailer.log 2>&1 &
  dpkg-query --show nullmailer
}

test_nullmailer() { deliver_all; }

# MARK: - dma

configure_dma() {
  printf '%s\n' 'SMARTHOST 127.0.0.1' 'PORT 2525' 'MAILNAME desk.example.org' >/etc/dma/dma.conf
  dpkg-query --show dma
}

test_dma() { deliver_all; }

case ${1:-} in
  --mount) mount_root "${@:2}" ;;
  --install) install_system "$2" ;;
  --test) test_system "$2" ;;
  '') die "usage: mail.sh CHECK_LOANS [SYSTEM…]" ;;
  *) main "$@" ;;
esac
