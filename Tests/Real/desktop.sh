#!/usr/bin/env bash
# desktop.sh BINARY: logs a user in to a throw-away copy of this machine's root, whose changes are kept in
# memory, by a systemd of its own, after the daily run of check-loans timer was missed; a notification
# service comes later than the run, or not at all.
#
# Needs root, systemd-nspawn, dbus-user-session, libnotify-bin and python3-dbusmock. Prints a line for each
# check, `ok …` or `FAILED …`, and ends with 1 if one failed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
readonly here real=/real user=reader home=/home/reader
# shellcheck source=Tests/Real/check.sh
. "$here/check.sh"

# MARK: - Outside

main() {
  local binary passed failed
  binary=$(realpath "$1")
  ((EUID == 0)) || die "this mounts and boots; run it as root"
  top=$(mktemp -d)
  trap 'rm -rf "$top"' EXIT
  # Its mounts end with the last of its processes.
  unshare --mount --fork --kill-child -- "$here/desktop.sh" --boot "$top" "$binary" </dev/null
  passed=$(grep -c '^ok ' "$top/log" || true) failed=$(grep -c '^FAILED ' "$top/log" || true)
  echo "$passed passed, $failed failed"
  grep -qx 'the end' "$top/log" || die "it did not come to its end"
  ((failed == 0))
}

die() {
  echo "desktop.sh: $*" >&2
  exit 1
}

# MARK: - Between

# Makes the root, and boots it to a service that runs the tests.
boot() {
  local top=$1 binary=$2 memory=$1/memory root=$1/memory/root
  mkdir "$memory"
  mount -t tmpfs tmpfs "$memory"
  mkdir "$memory"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=/,upperdir=$memory/upper,workdir=$memory/work" "$root"
  mkdir -p "$root$real"
  cp "$here"/{desktop,check}.sh "$root$real"
  cp "$binary" "$root$real/check-loans"
  printf '%s\n' '[Unit]' 'DefaultDependencies=no' '[Service]' 'Type=oneshot' \
    "ExecStart=$real/desktop.sh --test" 'StandardOutput=append:/real/log' 'StandardError=inherit' \
    'Environment=LC_ALL=C.UTF-8' \
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

test_desktop() {
  systemctl start basic.target dbus.socket systemd-logind.service
  useradd --create-home $user
  id=$(id --user $user)
  own="$home/.config/systemd/user"
  mkdir -p "$own/check-loans.service.d"
  write_books Abigél
  # The service of notifications, with all that it was told in a file; and a desktop without one.
  printf '%s\n' '[Unit]' 'BindsTo=graphical-session.target' 'Before=graphical-session.target' \
    '[Service]' "ExecStart=/usr/bin/python3 -m dbusmock --template notification_daemon" \
    "StandardOutput=append:$home/shown" >"$own/desktop.service"
  printf '%s\n' '[Unit]' 'BindsTo=graphical-session.target' 'Before=graphical-session.target' \
    '[Service]' 'ExecStart=/bin/sleep infinity' >"$own/bare-desktop.service"
  # Nobody waits for minutes here.
  printf '%s\n' '[Service]' 'RestartSec=3' >"$own/check-loans.service.d/sooner.conf"
  touch "$home/shown"
  chown -R $user: "$home"
  test_late_service
  test_end_of_session
  test_no_desktop
  test_other_failures
  echo "the end"
}

write_books() {
  printf '<books>%s</books>\n' "<book id='$1'><title>$1</title>
    <expiration>$(date --date tomorrow +%Y.%m.%d)</expiration></book>" >$home/books.xml
}

# What the service wrote.
details() {
  as_user systemctl --user show check-loans.service --property \
    ActiveState,SubState,Result,NRestarts,ExecMainStatus
  journalctl --no-pager --lines 20 "_UID=$id"
}

# await WORDS COMMAND…: the same as check, for what takes up to two minutes.
await() {
  local words=$1 left=600
  shift
  until "$@" || ((left-- == 0)); do sleep 0.2; done
  check "$words" "$@"
}

as_user() {
  runuser -u $user -- env -i HOME=$home PATH=/usr/bin:/bin LC_ALL=C.UTF-8 \
    XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" "$@"
}

log_in() { systemctl start "user@$id.service"; }
log_out() { systemctl stop "user@$id.service"; }
unit() { [[ $(as_user systemctl --user show "$1" --property "$2" --value) == "$3" ]]; }
service() { unit check-loans.service "$1" "$2"; }
restarted() {
  (($(as_user systemctl --user show check-loans.service --property NRestarts --value) > 0))
}
shown() { (($(grep -c ' Notify ' $home/shown) == $1)); }

# A run that was missed starts with the user's systemd, and the service of notifications much later.
test_late_service() {
  log_in
  await "the user's systemd is there" unit timers.target ActiveState active
  as_user $real/check-loans timer install --notify notify-send $home/books.xml \
    --daily-at "$(date --date '1 hour ago' +%H:%M)" >$real/words 2>&1 || cat $real/words
  check "the timer is installed" unit check-loans.timer ActiveState active
  log_out
  # It ran last two days ago.
  install -d -o $user -g $user $home/.local/share/systemd/timers
  runuser -u $user -- touch -d '2 days ago' $home/.local/share/systemd/timers/stamp-check-loans.timer
  log_in
  await "the missed run starts before the desktop, and is tried again" restarted
  await "its status is that of a channel that failed" service ExecMainStatus 69
  check "it was shown nowhere" shown 0
  sleep "${CHECK_LOANS_DESKTOP_DELAY:-10}"
  as_user systemctl --user start desktop.service
  check "the desktop is there" unit graphical-session.target ActiveState active
  await "the notification is shown" shown 1
  await "the run ends well" service Result success
  sleep 5
  check "it is over" service ActiveState inactive
  check "nothing is shown twice" shown 1
  check "nothing is left to do" as_user $real/check-loans status
}

# What is tried again goes with the session.
test_end_of_session() {
  as_user systemctl --user stop desktop.service
  await "the desktop is gone" unit graphical-session.target ActiveState inactive
  write_books Toldi
  as_user systemctl --user start bare-desktop.service
  as_user systemctl --user start check-loans.service >/dev/null 2>&1 || true
  await "without a service of notifications it is tried again" service SubState auto-restart
  as_user systemctl --user stop bare-desktop.service
  await "it ends with the session" service ActiveState inactive
}

# Where no desktop comes, it gives up until the next day.
test_no_desktop() {
  printf '%s\n' '[Unit]' 'StartLimitBurst=2' >"$own/check-loans.service.d/limit.conf"
  as_user systemctl --user daemon-reload
  as_user systemctl --user reset-failed
  as_user systemctl --user start check-loans.service >/dev/null 2>&1 || true
  await "it gives up" service ActiveState failed
  check "the timer goes on" unit check-loans.timer ActiveState active
  check "and has a next time" bash -c "[[ -n '$(as_user systemctl --user show check-loans.timer \
    --property NextElapseUSecRealtime --value)' ]]"
  rm "$own/check-loans.service.d/limit.conf"
  as_user systemctl --user daemon-reload
  as_user systemctl --user reset-failed
}

# Starting again puts no wrong setting right.
test_other_failures() {
  mkdir -p $home/.config/check-loans
  echo 'remind = "often"' >$home/.config/check-loans/config.toml
  chown -R $user: $home/.config
  as_user systemctl --user start check-loans.service >/dev/null 2>&1 || true
  check "a wrong setting is not tried again" service ActiveState failed
  check "its status says so" service ExecMainStatus 78
}

case ${1:-} in
  --boot) boot "${@:2}" ;;
  --test) test_desktop ;;
  '') die "usage: desktop.sh BINARY" ;;
  *) main "$@" ;;
esac
