#!/bin/sh
# expired_xmlstarlet.sh YYYY.MM.DD CATALOGUE: print how many loans expired before that day.
set -eu
# XPath 1.0 compares numbers only; of a book on the shelf it makes NaN, which is less than nothing.
today=$(printf %s "$1" | tr -d .)
exec xmlstarlet sel --template \
  --value-of "count(/books/book[translate(expiration, '.', '') < $today])" --nl "$2"
