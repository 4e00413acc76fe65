#!/usr/bin/env bash
# make.sh PATH/TO/check-loans: takes the pictures of the README and the other documents from the real
# program, on an X server of its own and in a browser without a screen. `make pictures` installs what it
# needs and runs it.
set -euo pipefail
check_loans=$(realpath "$1")
cd "$(dirname "$0")"

scratch=$(mktemp -d)
finish() {
  # What was started here, and nothing else.
  kill $(jobs -p) 2> /dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT

export HOME=$scratch XDG_RUNTIME_DIR=$scratch LC_ALL=C.UTF-8 TZ=UTC CHECK_LOANS_NOW=2026-11-21T07:30
mkdir "$scratch/bin"
ln -s "$check_loans" "$scratch/bin/check-loans"
export PATH=$scratch/bin:$PATH
cp ../../books.xml "$scratch"

# The X server picks a free display and writes its number down.
Xvfb -displayfd 3 -screen 0 1000x400x24 -nolisten tcp 3> "$scratch/display" 2> /dev/null &
for _ in {1..100}; do [[ -s $scratch/display ]] && break; sleep 0.1; done
DISPLAY=:$(cat "$scratch/display")
export DISPLAY

# Waits for a picture of the screen that does not change any more, and keeps it.
take() {
  local before='' now
  for _ in {1..50}; do
    sleep 0.4
    import -window root "$scratch/$1"
    now=$(identify -format '%# %k' "$scratch/$1")
    # A screen of one colour shows nothing yet.
    [[ $now == "$before" && ${now##* } -gt 2 ]] && break
    before=$now
  done
  # The border is taken away, but for a margin in the colour that is given.
  mogrify -trim +repage -bordercolor "$2" -border "$3" -strip +dither -colors 64 \
    -define png:format=png8 "$scratch/$1"
  cp "$scratch/$1" "$1"
}

# Keeps what a browser shows of a file, half as large.
browse() {
  chromium-headless-shell --no-sandbox --hide-scrollbars --force-color-profile=srgb \
    --screenshot="$scratch/browsed.png" --window-size="$2" "file://$1" 2> "$scratch/browser.log"
  convert "$scratch/browsed.png" -bordercolor "$4" -trim +repage -border 24 -resize 60% -strip +dither \
    -colors 64 -define png:format=png8 "$3"
}

# The report in a terminal.
cat > "$scratch/session" <<'END'
printf '$ check-loans books.xml\n'
check-loans books.xml
printf '$ '
exec sleep 60
END
cd "$scratch"
xterm -fa 'DejaVu Sans Mono' -fs 9 -geometry 106x14+0+0 -b 8 -bw 0 -bg '#1e1e1e' -fg '#e6e6e6' \
  -xrm 'XTerm*color1: #ff7b72' -xrm 'XTerm*color3: #e3b341' +sb -e bash "$scratch/session" &
terminal=$!
cd "$OLDPWD"
take report.png '#1e1e1e' 8
kill "$terminal"

# A notification, shown by dunst.
cat > "$scratch/dunstrc" <<'END'
[global]
  width = 420
  height = 200
  origin = top-left
  offset = 8x8
  font = DejaVu Sans 11
  frame_width = 1
  frame_color = "#5f6a7d"
  background = "#f6f7f9"
  foreground = "#1f2328"
  padding = 14
  horizontal_padding = 16
  corner_radius = 0
  format = "<b>%s</b>\n%b"
  markup = full
END
sed -n '1,/<books>/p; /id="bk102"/,/<\/book>/p; $p' "$scratch/books.xml" > "$scratch/one.xml"
xsetroot -solid white
dbus-run-session -- bash -c '
  dunst -config "$HOME/dunstrc" 2> "$HOME/dunst.log" &
  gdbus wait --session --timeout 10 org.freedesktop.Notifications
  check-loans --notify notify-send "$HOME/one.xml"
  touch "$HOME/shown"
  until [[ -e $HOME/taken ]]; do sleep 0.1; done
  kill %1' 2> "$scratch/session.log" &
session=$!
for _ in {1..100}; do [[ -e $scratch/shown ]] && break; sleep 0.1; done
take notification.png white 6
touch "$scratch/taken"
wait "$session"

# The report as a page.
check-loans --dry-run --quiet --within 7 --format html --output "$scratch/page.html" "$scratch/books.xml"
browse "$scratch/page.html" 1000,1640 page.png '#f6f6f3'

# A mail to one reader, its headers and its HTML.
check-loans --quiet --notify "maildir:$scratch/Outbox" --mail-from 'Town Library <desk@example.org>' \
  "$scratch/one.xml" > "$scratch/sent"
message=("$scratch"/Outbox/new/*)
{
  echo '<!DOCTYPE html><meta charset="utf-8"><pre style="font: 15px sans-serif; margin: 0">'
  for name in From To Subject; do
    echo "<b>$name:</b> $(mhdr -d -h "$name" "${message[0]}" | sed 's/&/\&amp;/g; s/</\&lt;/g')"
  done
  echo '</pre><hr>'
  mshow -O "${message[0]}" 3
} > "$scratch/mail.html"
browse "$scratch/mail.html" 700,400 mail.png white
