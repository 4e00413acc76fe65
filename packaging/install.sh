#!/bin/sh
# install.sh [--uninstall]: installs check-loans below PREFIX (/usr/local), or removes it from there.
#
# DESTDIR is put before PREFIX, for whoever makes a package.
set -eu
root=${DESTDIR-}${PREFIX:-/usr/local}

# What is installed: its permissions, where it is beside this script, and below PREFIX.
files='
755 check-loans                      bin/check-loans
644 man/check-loans.1                share/man/man1/check-loans.1
644 man/check-loans.toml.5           share/man/man5/check-loans.toml.5
644 man/check-loans-catalogue.5      share/man/man5/check-loans-catalogue.5
644 schemas/books.xsd                share/check-loans/books.xsd
644 schemas/books.rng                share/check-loans/books.rng
644 completions/bash                 share/bash-completion/completions/check-loans
644 completions/zsh                  share/zsh/site-functions/_check-loans
644 completions/fish                 share/fish/vendor_completions.d/check-loans.fish
644 LICENSE                          share/doc/check-loans/LICENSE
644 NOTICES                          share/doc/check-loans/copyright
644 examples/books.xml               share/doc/check-loans/examples/books.xml
644 examples/gitlab-ci.yml           share/doc/check-loans/examples/gitlab-ci.yml
644 examples/apprise.toml            share/doc/check-loans/examples/apprise.toml
644 examples/gotify.toml             share/doc/check-loans/examples/gotify.toml
644 examples/home-assistant.toml     share/doc/check-loans/examples/home-assistant.toml
644 examples/matrix.toml             share/doc/check-loans/examples/matrix.toml
644 examples/ntfy.toml               share/doc/check-loans/examples/ntfy.toml
644 examples/telegram.toml           share/doc/check-loans/examples/telegram.toml
'

case ${1-} in
'')
  here=$(dirname "$0")
  echo "$files" | while read -r mode source target; do
    if [ "$mode" ]; then install -D -m "$mode" "$here/$source" "$root/$target"; fi
  done
  ;;
--uninstall)
  echo "$files" | while read -r mode source target; do
    if [ "$mode" ]; then rm -f "$root/$target"; fi
  done
  # The directories of its own, if nobody else has put anything there.
  for directory in doc/check-loans/examples doc/check-loans check-loans; do
    rmdir "$root/share/$directory" 2>/dev/null || true
  done
  ;;
*)
  echo "usage: install.sh [--uninstall]" >&2
  exit 64
  ;;
esac
