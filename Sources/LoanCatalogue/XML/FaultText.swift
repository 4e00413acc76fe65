import CLibXML2
import Loans

/// What is wrong with the document, in one line: in our own words for what happens most, else in
/// those of libxml2.
enum FaultText {
  @unsafe static func of(_ error: xmlError) -> String {
    guard unsafe error.level == XML_ERR_FATAL else { return unsafe words(error) }
    return unsafe Fault(error).text ?? words(error)
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

extension Fault {
  /// How many bytes are looked at on each side of the place where the parser stopped.
  private static let reach = 64

  @unsafe fileprivate init(_ error: xmlError) {
    unsafe self.init(
      code: xmlParserErrors(UInt32(bitPattern: error.code)), name: Self.name(error.str1),
      otherName: Self.name(error.str2), number: Int(error.int1))
    guard unsafe error.domain == XML_FROM_PARSER.rawValue, let context = unsafe error.ctxt,
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
}
