import CLibXML2
import Loans

/// Finds where a document in the tool's own form can be cut into parts, and what these need around
/// them.
@safe struct FrameFinder {
  let extent: NativeReader.Extent
  /// The place where reading has stopped so that the rest can be read in parts.
  private(set) var splitPoint: SplitPoint?
  /// Bytes up to the end of the root element.
  var rootEnd = 0
  /// Whether a comment for the reader is outside of the root element: its place is only known where
  /// the whole line is.
  var hasCommentOutside = false
  /// Whether reading may stop at a record's start.
  private var mayStop = false
  private var rootTag: [UInt8] = []
  private var rootLine = 1
  /// More names than a usual document has: how many a document has in all is only known where one
  /// parser reads it.
  static let mostNames = 1_000

  init(_ extent: NativeReader.Extent) {
    self.extent = extent
    if case .document(let mayBeSplit) = extent { mayStop = mayBeSplit }
  }

  /// Keeps how the root element begins, by which parts of the document get one too.
  @unsafe mutating func noteRoot(_ session: borrowing ParserSession) {
    guard mayStop else { return }
    rootTag = unsafe TagText(endingAt: session.document).bytes
    rootLine = unsafe TagText.start(endingAt: session.document)?.line ?? 1
  }

  /// Whether reading stops at the record's start tag that the parser has just read.
  mutating func isSplit(_ session: borrowing ParserSession) -> Bool {
    guard mayStop else { return false }
    mayStop = false
    let tag = unsafe TagText(endingAt: session.document).bytes
    let start = session.bytesRead - tag.count
    guard let frame = frame(session, recordTag: tag) else { return false }
    splitPoint = SplitPoint(offset: start, location: session.position, frame: frame)
    return true
  }

  /// The tags that parts of the document need around them; `nil` if there can be no parts.
  private func frame(
    _ session: borrowing ParserSession, recordTag: [UInt8]
  ) -> PartFrame? {
    let context = unsafe session.context
    let version = unsafe context.pointee.version.map { unsafe String(cString: $0) }
    guard !session.hasDoctype, session.nameCount <= Self.mostNames,
      unsafe check_loans_reads_plainly(context) != 0, version ?? "1.0" == "1.0",
      rootTag.count < 4_096, rootTag.last != UInt8(ascii: "/")
    else { return nil }
    let isDeclared = unsafe check_loans_declared_encoding(context) != nil
    let declaration = isDeclared ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" : ""
    return PartFrame(
      head: Array(declaration.utf8) + rootTag + [UInt8(ascii: ">")],
      tail: [UInt8(ascii: "<"), UInt8(ascii: "/")] + Self.name(in: rootTag) + [UInt8(ascii: ">")],
      recordStart: [UInt8(ascii: "<")] + Self.name(in: recordTag), rootLine: rootLine)
  }

  /// The name in a tag, as it is written.
  private static func name(in tag: [UInt8]) -> ArraySlice<UInt8> {
    tag.dropFirst().prefix { !$0.isXMLWhiteSpace && $0 != UInt8(ascii: "/") }
  }

  /// The beginning of the comment that the parser has just read: where the last event ended, except
  /// where something may be between that raises no event.
  @unsafe func commentStart(_ session: borrowing ParserSession, isOutside: Bool) -> SourceLocation {
    guard session.hasDoctype || isOutside else { return session.position }
    var origin: TagText.Origin?
    if case .section(let point) = extent, unsafe session.document?.pointee.consumed ?? 1 == 0 {
      origin = TagText.Origin(bytes: point.frame.head.count, column: point.location.column)
    }
    return unsafe TagText.start(endingAt: session.document, opening: "<!--", origin: origin)
      ?? session.position
  }
}
