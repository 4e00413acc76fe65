import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// What is said of a document that cannot be read on.
struct MalformedXMLTests {
  private static let catalogue = """
    <?xml version="1.0" encoding="UTF-8"?>
    <books>
      <book id="a">
        <title>Abigél</title>
        <expiration>2026.12.01</expiration>
      </book>
    </books>

    """

  /// The message of the one fault in `bytes`, after `not well-formed XML: `.
  private func fault(_ bytes: [UInt8]) throws -> String? {
    let folder = try ScratchFolder()
    let reading = try CatalogueReader().reading(ofBytes: bytes, in: folder)
    let last = try #require(reading.diagnostics.last)
    #expect(last.code == .malformedXML)
    #expect(last.message == last.message.visible)
    let prefix = "not well-formed XML: "
    return last.message.hasPrefix(prefix) ? String(last.message.dropFirst(prefix.count)) : nil
  }

  private func fault(_ old: String, _ new: String) throws -> String? {
    let parts = Self.catalogue.split(separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    return try fault(Array("\(parts[0])\(new)\(parts[1])".utf8))
  }

  @Test(arguments: [
    ("Abi\u{C}gél", "U+000C"), ("<![CDATA[a\u{C}b]]>", "U+000C"),
    ("<!-- a\u{C}b -->", "U+000C"), ("<?x a\u{C}b?>", "U+000C"),
    ("<i a='\u{C}'/>", "U+000C"), ("<i\u{C}/>", "U+000C"),
    ("Abi&#12;gél", "U+000C"), ("\u{1B}[31m", "U+001B"),
    ("\u{0}", "U+0000"), ("\u{8}", "U+0008"), ("\u{1F}", "U+001F"),
    ("\u{FFFF}", "U+FFFF"), ("&#x110000;", "U+110000"), ("&#xD800;", "U+D800"),
  ])
  func `A character that is not allowed is named wherever it is`(
    text: String, name: String
  ) throws {
    #expect(try fault("Abigél", text) == "the character \(name) is not allowed; remove it")
  }

  @Test(arguments: [
    ("id=\"a\"", "id=a", "the value of an attribute needs quotes, as in id=\"bk1\""),
    ("id=\"a\"", "id=“a”", "the value of an attribute needs quotes, as in id=\"bk1\""),
    ("id=\"a\"", "id", "the attribute id has no value; write id=\"…\""),
    ("id=\"a\"", "id \"a\"", "the attribute id has no value; write id=\"…\""),
    ("id=\"a\"", "id=\"a\"x=\"b\"", "a space is missing between two attributes"),
    ("id=\"a\"", "id=\"a\"\"", "there is one quotation mark too many; remove it"),
    ("id=\"a\"", "=\"a\"", "an attribute is expected here, or the end of the tag"),
    ("<title>", "<title/ >", "an attribute is expected here, or the end of the tag"),
    (
      "id=\"a\"", "id=\"a<b\"",
      "a < is not allowed in the value of an attribute; write it as &lt;, or close the quotes "
        + "before it"
    ),
    (
      "id=\"a\"", "id=\"a",
      "a < is not allowed in the value of an attribute; write it as &lt;, or close the quotes "
        + "before it"
    ),
  ])
  func `A fault in an attribute says how it is written`(
    old: String, new: String, message: String
  ) throws {
    #expect(try fault(old, new) == message)
  }

  @Test(arguments: [
    ("<title>", "<title", "the tag before this has no >"),
    ("</title>", "</title", "the tag before this has no >"),
    ("</title>", "", "<title> of line 4 is not closed before </book>"),
    ("</title>", "</Title>", "<title> of line 4 is not closed before </Title>"),
    ("</books>\n", "", "the document ends inside <books> of line 2; was it cut off?"),
    ("</books>\n", "</books", "the document ends inside a tag; was it cut off?"),
    ("Abigél", "1 <2", "this < does not begin a tag; write it as &lt;"),
    ("Abigél", "<{{x}}>", "this < does not begin a tag; write it as &lt;"),
    (
      "Abigél", "1 < 2",
      "this < does not begin a tag; write it as &lt;, or remove the space after it"
    ),
    ("</books>\n", "</books></books>", "this end tag closes nothing; remove it"),
    (
      "</books>\n", "</books><books/>", "a second root element begins here; put everything into one"
    ),
    ("</books>\n", "</books> x", "something follows the end of the document; remove it"),
  ])
  func `A fault in a tag says what is missing or too much`(
    old: String, new: String, message: String
  ) throws {
    #expect(try fault(old, new) == message)
  }

  @Test(arguments: [
    ("    <title>", "<<<<<<< HEAD\n    <title>"), ("<?xml", "<<<<<<< HEAD\n<?xml"),
    ("  <book", "<<<<<<< 1 < 2\n  <book"), ("</books>\n", "</books>\n=======\n"),
    ("</books>\n", "</books>\n>>>>>>> theirs\n"), ("<book ", "<book\n=======\n"),
  ])
  func `The mark of a merge conflict is called one`(old: String, new: String) throws {
    #expect(
      try fault(old, new)
        == "an unresolved merge conflict is here; keep what is right, and remove the rest with the lines "
        + "that begin with <<<<<<<, |||||||, ======= and >>>>>>>")
  }

  @Test(arguments: [
    ("<title>", "x<<<<<<< HEAD\n<title>"), ("    <title>", "<<<<<< HEAD\n<title>"),
    ("</books>\n", "</books> ======="), ("<title>", " <<<<<<< HEAD\n<title>"),
    ("</books>\n", "</books>\n======== Fiction & poetry\n"), ("</books>\n", "</books>\n======= x"),
  ])
  func `What is not at the beginning of a line is no mark of a merge conflict`(
    old: String, new: String
  ) throws {
    #expect(try fault(old, new)?.contains("conflict") == false)
  }

  @Test(arguments: [
    ("Abi & gél", "this & does not begin a reference; write it as &amp;"),
    ("A&B", "this & does not begin a reference; write it as &amp;"),
    (
      "A&nbsp;B",
      "&nbsp; is not defined in XML; write the character itself, or its number, as &#233; for é"
    ),
    ("&#65 ", "a reference to a character is a number and a semicolon: &#233; or &#xE9;"),
    ("&#xg;", "a reference to a character is a number and a semicolon: &#233; or &#xE9;"),
    ("<![CDATA[A", "a <![CDATA[ is not closed with ]]>"),
    ("<!-- a", "a comment is not closed with -->"),
  ])
  func `A fault in the text says how it is written`(text: String, message: String) throws {
    #expect(try fault("Abigél", text) == message)
  }

  @Test(arguments: [
    ("version=\"1.0\" ", ""), ("version=", "version "), ("UTF-8", "UTF 8"), ("?>", ">"),
    ("<?xml", " <?xml"), ("Abigél", "<? ?>"), ("Abigél", "<?php x"),
    ("<books>", "<!doctype books><books>"),
    ("Abigél", "&#x;"), ("</title>", "</ title>"), ("A", "]]>"), ("A", "<!-- -- -->"),
    ("id=\"a\"", "id=\"a\" id=\"b\""),
  ])
  func `Of what is rare the parser's own words are there`(old: String, new: String) throws {
    let words = try #require(try fault(old, new))
    #expect(!words.isEmpty && words != "no reason given" && !words.contains("write it as &lt;"))
  }

  @Test(arguments: [("Abig", "</title>"), ("<!-- ", " -->"), ("<i a=\"", "\"/>")])
  func `A byte that is not UTF-8 is named, and what it may be`(
    before: String, after: String
  ) throws {
    for (byte, words) in [
      (0xE9, "byte 0xE9 is not UTF-8; is it ISO-8859-1?"),
      (0x92, "byte 0x92 is not UTF-8; is it windows-1252?"),
    ] as [(UInt8, String)] {
      let bytes = Array("<books><book><title>\(before)".utf8) + [byte] + Array(after.utf8)
      #expect(try fault(bytes) == "\(words) declare the encoding, or save as UTF-8")
    }
  }

  @Test(arguments: [("Abig", "</title>"), ("<i a=\"", "\"/>")])
  func `What is not ASCII in a document that declares it is not taken for an end`(
    before: String, after: String
  ) throws {
    let text = "<?xml version='1.0' encoding='US-ASCII'?><books><book><title>\(before)é\(after)"
    #expect(try Self.refusals("byte 0xC3 is").contains(fault(Array(text.utf8))))
  }

  @Test func `Bytes that the declared encoding does not have are named`() throws {
    let text = "<?xml version='1.0' encoding='windows-1253'?><books><book><title>"
    let bytes = Array(text.utf8) + [0xD2] + Array("</title>".utf8)
    #expect(try Self.refusals("bytes 0xD2 0x3C 0x2F 0x74 are").contains(fault(bytes)))
  }

  /// What is said of bytes, and what is said where libxml2 does not name them.
  private static func refusals(_ bytes: String) -> [String?] {
    [bytes, "bytes here are"].map {
      "the \($0) not text in the declared encoding; declare the right one, or save as UTF-8"
    }
  }
}
