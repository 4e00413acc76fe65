/// Text in the encoding quoted-printable, RFC 2045, section 6.7.
enum QuotedPrintable {}
