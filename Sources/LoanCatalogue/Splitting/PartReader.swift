import Loans

/// Reads parts of a document, each on its own.
struct PartReader: Sendable {
  let reader: CatalogueReader
  let profile: CatalogueProfile
  let frame: PartFrame
  let file: FileBytes

  /// - Returns: what the part holds; `nil` if it cannot be read on its own.
  func read(_ part: PartCutter.Part, _ buffer: inout PartBuffer) -> PartReading? {
    guard buffer.read(part, of: file, in: frame) else { return nil }
    var builder = RecordBuilder(
      reader: reader, profile: profile, purpose: .reading,
      // A usual record has some 240 bytes, most of them texts.
      log: RecordLog(capacity: part.range.count / 200), use: { _ in })
    builder.record = RecordDraft(capacity: part.range.count / 4 * 3)
    return LibXML2Parser(builder: builder, role: .part)
      .parse(buffer, isLast: part.isLast)
  }
}
