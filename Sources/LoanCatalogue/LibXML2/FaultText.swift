import CLibXML2
import Loans

/// What is wrong with the document, in one line: in our own words for what happens most, else in
/// those of libxml2.
enum FaultText {
  @unsafe static func of(_ error: xmlError) -> String {
    switch unsafe UInt32(bitPattern: error.code) {
    case XML_ERR_NAME_REQUIRED.rawValue where unsafe words(error).contains("EntityRef"),
      XML_ERR_ENTITYREF_SEMICOL_MISSING.rawValue:
      return "an & begins no reference here; write it as &amp;"
    case XML_ERR_INVALID_CHAR.rawValue, XML_ERR_INVALID_ENCODING.rawValue:
      return unsafe "\(words(error)); remove the character, or declare the right encoding"
    case XML_ERR_DOCUMENT_EMPTY.rawValue:
      return "there is nothing in it; did what wrote it fail?"
    case XML_ERR_TAG_NAME_MISMATCH.rawValue:
      return unsafe mismatch(error) ?? words(error)
    case XML_ERR_TAG_NOT_FINISHED.rawValue:
      guard let open = unsafe openTag(error) else { return unsafe words(error) }
      return "the document ends inside \(open); was it cut off?"
    default:
      return unsafe words(error)
    }
  }

  /// `<title> of line 3`, where libxml2 tells the name of an element that is open, and its line.
  @unsafe private static func openTag(_ error: xmlError) -> String? {
    guard let name = unsafe error.str1, unsafe error.int1 > 0 else { return nil }
    let shown = unsafe String(cString: name).shortened(to: 60).visible
    return unsafe "<\(shown)> of line \(error.int1)"
  }

  @unsafe private static func mismatch(_ error: xmlError) -> String? {
    guard let open = unsafe openTag(error), let name = unsafe error.str2 else { return nil }
    let shown = unsafe String(cString: name).shortened(to: 60).visible
    return "\(open) is not closed before </\(shown)>"
  }

  @unsafe private static func words(_ error: xmlError) -> String {
    guard let message = unsafe error.message else { return "no reason given" }
    var text = unsafe String(cString: message)
    // Advice for programmers, which a user cannot follow.
    if let advice = text.firstRange(of: " use XML_PARSE_HUGE") {
      text = String(text[..<advice.lowerBound])
    }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ").shortened(to: 200).visible
  }
}
