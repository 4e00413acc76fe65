import CLibXML2
import Loans

/// What to say of an error that keeps libxml2 from reading on, by what is in the document around it.
///
/// libxml2's words are written for programmers. So those for the usual mistakes are chosen by its code,
/// and by what the parser had in front of it: it says that a name is missing both after `<` and after
/// `&`, and here it is `this & does not begin a reference; write it as &amp;`. For what is rare its own
/// words do.
struct ParserErrorText {
  let code: xmlParserErrors
  /// The name that libxml2 gives first: an element, an attribute, an entity.
  let name: String?
  let otherName: String?
  /// The line of an element that is open, or the number of a character.
  let number: Int
  /// The text before the place, as far as it is at hand.
  var before = ""
  /// The bytes that come next, in UTF-8 unless that is the error; none at the end.
  var after: [UInt8] = []
  /// The byte at which the conversion to UTF-8 came to its end.
  var refusedByte: UInt8?

  /// The number of bytes to look at on each side of the place where the parser stopped.
  private static let reach = 64

  @unsafe private init(_ error: xmlError) {
    code = unsafe xmlParserErrors(UInt32(bitPattern: error.code))
    name = unsafe Self.name(error.str1)
    otherName = unsafe Self.name(error.str2)
    number = unsafe Int(error.int1)
    // 2.14 and later report bytes that are not text as an error of reading.
    let isOfBytes = code == XML_ERR_INVALID_ENCODING
    guard unsafe error.domain == XML_FROM_PARSER.rawValue || isOfBytes,
      let context = unsafe error.ctxt,
      let input = unsafe context.assumingMemoryBound(to: xmlParserCtxt.self).pointee.input,
      let base = unsafe input.pointee.base, let place = unsafe input.pointee.cur,
      let end = unsafe input.pointee.end
    else { return }
    let left = unsafe min(place - base, Self.reach)
    before = unsafe String(
      decoding: UnsafeBufferPointer(start: place - left, count: left), as: UTF8.self)
    after = unsafe Array(UnsafeBufferPointer(start: place, count: min(end - place, Self.reach)))
    let byte = unsafe after.isEmpty ? check_loans_refused_byte(input) : -1
    refusedByte = UInt8(exactly: byte)
  }

  @unsafe private static func name(_ text: UnsafePointer<CChar>?) -> String? {
    unsafe text.map { unsafe String(cString: $0).shortened(to: 60).visible }
  }

  /// Says what is wrong, in one line.
  @unsafe static func text(of error: xmlError) -> String {
    guard unsafe error.level == XML_ERR_FATAL else { return unsafe message(of: error) }
    let text = unsafe ParserErrorText(error)
    return unsafe text.conflictText ?? text.characterText ?? text.markupText ?? message(of: error)
  }

  /// The message of libxml2 itself.
  @unsafe private static func message(of error: xmlError) -> String {
    guard let message = unsafe error.message else { return "no reason given" }
    var text = unsafe String(cString: message)
    // Advice for programmers, which a user cannot follow.
    if let advice = text.firstRange(of: " use XML_PARSE_HUGE") {
      text = String(text[..<advice.lowerBound])
    }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ").shortened(to: 200).visible
  }

  private var next: String { String(decoding: after, as: UTF8.self) }

  /// The part of the tag that has been read, from its `<`.
  private var tag: Substring {
    before.lastIndex(of: "<").map { before[$0...] } ?? ""
  }
}

// MARK: - Merge conflicts

extension ParserErrorText {
  /// The message for a line that a version control system has put there.
  private var conflictText: String? {
    let lineBreak = before.lastIndex(where: \.isNewline)
    // A longer line is none of these marks.
    guard lineBreak != nil || before.utf8.count < Self.reach else { return nil }
    let line = (lineBreak.map { before[$0...].dropFirst() } ?? before[...]) + next
    guard line.prefix(while: { !$0.isNewline }).isConflictMark else { return nil }
    return """
      an unresolved merge conflict is here; keep what is right, and remove the rest with the lines \
      that begin with <<<<<<<, |||||||, ======= and >>>>>>>
      """
  }
}

extension StringProtocol {
  /// Whether a version control system has put the line there, where it could not merge two texts.
  package var isConflictMark: Bool {
    ["<<<<<<< ", "||||||| ", ">>>>>>> "].contains(where: hasPrefix) || self == "======="
  }
}

// MARK: - Characters

extension ParserErrorText {
  private var characterText: String? {
    if let scalar = next.unicodeScalars.first, !scalar.isAllowedInXML {
      return Self.isNotAllowed(Int(scalar.value))
    }
    if let byte = refusedByte { return Self.isNotText("byte \(Self.hexadecimal(byte)) is") }
    switch code {
    case XML_ERR_INVALID_CHAR, XML_ERR_INVALID_ENCODING:
      if let byte = after.first, byte >= 0x80, number == 0 {
        let encoding = byte < 0xA0 ? "windows-1252" : "ISO-8859-1"
        return """
          byte \(Self.hexadecimal(byte)) is not UTF-8; is it \(encoding)? declare the encoding, or \
          save as UTF-8
          """
      }
      if number != 0 { return Self.isNotAllowed(number) }
      // Later versions do not name the bytes that a converter refuses.
      return code == XML_ERR_INVALID_ENCODING ? Self.isNotText("bytes here are") : nil
    case XML_I18N_CONV_FAILED:
      return name.map { Self.isNotText("bytes \($0) are") }
    default:
      return nil
    }
  }

  private static func isNotText(_ bytes: String) -> String {
    "the \(bytes) not text in the declared encoding; declare the right one, or save as UTF-8"
  }

  private static func isNotAllowed(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
    return "the character U+\(zeros)\(digits) is not allowed; remove it"
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "0x\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))"
  }
}

extension Unicode.Scalar {
  /// XML 1.0, 2.2.
  fileprivate var isAllowedInXML: Bool {
    value >= 0x20 ? value & ~1 != 0xFFFE : [0x9, 0xA, 0xD].contains(value)
  }
}

// MARK: - Tags, attributes and references

extension ParserErrorText {
  private var markupText: String? {
    switch code {
    case XML_ERR_DOCUMENT_EMPTY:
      return "it is empty; did the program that wrote it fail?"
    case XML_ERR_COMMENT_NOT_FINISHED where after.isEmpty:
      return "a comment is not closed with -->"
    case XML_ERR_CDATA_NOT_FINISHED where after.isEmpty:
      return "a <![CDATA[ is not closed with ]]>"
    case XML_ERR_TAG_NAME_MISMATCH:
      guard let open, let otherName else { return nil }
      return "\(open) is not closed before </\(otherName)>"
    case XML_ERR_TAG_NOT_FINISHED:
      return open.map { "the document ends inside \($0); was it cut off?" }
    case XML_ERR_NAME_REQUIRED where tag == "<":
      return textAfterBracket
    case XML_ERR_GT_REQUIRED where after.isEmpty:
      return "the document ends inside a tag; was it cut off?"
    case XML_ERR_GT_REQUIRED where tag.count > 2:
      return Self.isNotClosed
    case XML_ERR_DOCUMENT_END where next.hasPrefix("</"):
      return Self.closesNothing
    case XML_ERR_DOCUMENT_END where after.first == UInt8(ascii: "<"):
      return "a second root element begins here; put everything into one"
    case XML_ERR_DOCUMENT_END:
      return "something follows the end of the document; remove it"
    case XML_ERR_ATTRIBUTE_NOT_STARTED:
      return "the value of an attribute needs quotes, as in id=\"bk1\""
    case XML_ERR_ATTRIBUTE_NOT_FINISHED where after.isEmpty:
      return "the document ends inside the value of an attribute; are its quotes closed?"
    case XML_ERR_LT_IN_ATTRIBUTE:
      return """
        a < is not allowed in the value of an attribute; write it as &lt;, or close the quotes \
        before it
        """
    case XML_ERR_ATTRIBUTE_WITHOUT_VALUE:
      return name.map { "the attribute \($0) has no value; write \($0)=\"…\"" }
    case XML_ERR_SPACE_REQUIRED where "\"'".contains(next.prefix(1)):
      return "there is one quotation mark too many; remove it"
    case XML_ERR_SPACE_REQUIRED where !tag.hasPrefix("<!") && !tag.hasPrefix("<?"):
      return "a space is missing between two attributes"
    case XML_ERR_NAME_REQUIRED where tag.count > 1 && !tag.hasPrefix("<!") && !isAtReference:
      return next.hasPrefix("<")
        ? Self.isNotClosed : "an attribute is expected here, or the end of the tag"
    case XML_ERR_NAME_REQUIRED where isAtReference, XML_ERR_ENTITYREF_SEMICOL_MISSING:
      return "this & does not begin a reference; write it as &amp;"
    case XML_ERR_INVALID_CHARREF, XML_ERR_INVALID_DEC_CHARREF, XML_ERR_INVALID_HEX_CHARREF:
      return "a reference to a character is a number and a semicolon: &#233; or &#xE9;"
    case XML_ERR_UNDECLARED_ENTITY:
      return name.map {
        "&\($0); is not defined in XML; write the character itself, or its number, as &#233; for é"
      }
    default:
      return nil
    }
  }

  private var isAtReference: Bool { before.hasSuffix("&") }

  private static let isNotClosed = "the tag before this has no >"
  private static let closesNothing = "this end tag closes nothing; remove it"

  /// `<title> of line 3`, where libxml2 names an element that is open, and its line.
  private var open: String? {
    name.flatMap { number > 0 ? "<\($0)> of line \(number)" : nil }
  }

  /// The message for something that should not follow a `<`.
  private var textAfterBracket: String? {
    switch next.first {
    case "/": Self.closesNothing
    case "!": nil
    case let first? where first.isWhitespace:
      "this < does not begin a tag; write it as &lt;, or remove the space after it"
    default: "this < does not begin a tag; write it as &lt;"
    }
  }
}
