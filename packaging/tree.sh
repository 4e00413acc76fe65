#!/usr/bin/env bash
# tree.sh BINARY DIRECTORY: puts into a directory what the archive has, for install.sh beside it, and what
# a debugger wants into the file DIRECTORY.debug beside that.
set -euo pipefail
binary=$(realpath "$1") tree=$(realpath "$2")
readonly binary tree
cd "$(dirname "$0")/.."
# For everybody to read, whatever this account gives to others.
umask 022
mkdir -p "$tree"/{man,schemas,completions,examples}
# A debugger finds the file by the build's identifier.
objcopy --only-keep-debug --compress-debug-sections "$binary" "$tree.debug"
objcopy --strip-all "$binary" "$tree/check-loans"
chmod 755 "$tree" "$tree/check-loans"
chmod 644 "$tree.debug"
install -m 755 packaging/install.sh "$tree"
install -m 644 CHANGELOG.md LICENSE "$tree"
install -m 644 packaging/debian/copyright "$tree/NOTICES"
install -m 644 man/* "$tree/man"
install -m 644 Sources/CheckLoans/Schemas/books.* "$tree/schemas"
install -m 644 books.xml Examples/gitlab-ci.yml Examples/channels/*.toml "$tree/examples"
for shell in bash zsh fish; do
  "$binary" --generate-completion-script "$shell" >"$tree/completions/$shell"
done
# It is read by a shell, never run.
sed -i '1{/^#!/d}' "$tree/completions/bash"
