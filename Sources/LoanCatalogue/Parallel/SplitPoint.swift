import Loans

/// A record's start directly inside the root element, from where on the document can be read in
/// parts.
struct SplitPoint: Sendable {
  /// Bytes of the file before the record's start tag.
  var offset: Int
  /// Where the start tag is.
  var location: SourceLocation
  var frame: PartFrame
}

/// What has to be around a part of a document, so that it can be read like a whole one.
struct PartFrame: Sendable {
  /// The root element's start tag, after an XML declaration if the document declares its encoding.
  var head: [UInt8]
  /// The root element's end tag.
  var tail: [UInt8]
  /// How a record begins: `<` and its name.
  var recordStart: [UInt8]
  /// On which line the root element begins.
  var rootLine: Int
}
