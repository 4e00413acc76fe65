import Testing

@testable import Mail

@Suite struct QuotedPrintableTests {
  @Test(arguments: [
    ("", ""), ("Hello\n", "Hello\n"), ("a=b\n", "a=3Db\n"), ("Abigél\n", "Abig=C3=A9l\n"),
    ("no end", "no end=\n"), ("a \n", "a=20\n"), ("a\t\n", "a=09\n"), ("a b", "a b=\n"),
    ("a ", "a=20=\n"), ("\n\n", "\n\n"), ("a\r\nb\r", "a=0D\nb=0D=\n"), ("\0", "=00=\n"),
    ("From here\n", "=46rom here\n"), ("Frome\n", "Frome\n"), (" From\n", " From\n"),
    (".\n", "=2E\n"), ("a.\n", "a.\n"), ("..\n", "=2E.\n"),
  ])
  func `A text is encoded so that it comes back as it was`(text: String, encoded: String) {
    #expect(QuotedPrintable.encode(text) == encoded)
  }

  @Test func `A long line is broken after 75 characters, a line of 76 is not`() {
    let seventySix = String(repeating: "x", count: 76)
    #expect(QuotedPrintable.encode(seventySix + "\n") == seventySix + "\n")
    #expect(QuotedPrintable.encode(seventySix + "x\n") == "\(seventySix.dropLast())=\nxx\n")
    #expect(QuotedPrintable.encode(seventySix) == "\(seventySix.dropLast())=\nx=\n")
    let escaped = String(repeating: "é", count: 13)
    #expect(
      QuotedPrintable.encode(escaped + "\n")
        == String(repeating: "=C3=A9", count: 12) + "=C3=\n=A9\n")
  }

  @Test func `A line that is broken does not begin with what others take for a mark`() {
    let padding = String(repeating: "x", count: 75)
    #expect(QuotedPrintable.encode("\(padding)From me\n") == "\(padding)=\n=46rom me\n")
    #expect(QuotedPrintable.encode("\(padding)..\n") == "\(padding)=\n=2E.\n")
  }
}
