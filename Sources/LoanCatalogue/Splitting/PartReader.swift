import Loans

/// Reads parts of a document, each on its own.
struct PartReader: Sendable {
  let reader: CatalogueReader
  let profile: CatalogueProfile
  let frame: PartFrame
  let file: FileBytes

  /// What one thread uses for each part that it reads.
  struct Workspace: ~Copyable {
    fileprivate var buffer: PartBuffer
    /// What the last part's elements were.
    fileprivate var walk: ProfileWalk?

    init(_ settings: SplitSettings) { buffer = PartBuffer(capacity: settings.bufferSize) }
  }

  /// - Returns: what the part holds; `nil` if it cannot be read on its own.
  func read(_ part: PartCutter.Part, in workspace: inout Workspace) -> PartReading? {
    guard workspace.buffer.read(part, of: file, in: frame) else { return nil }
    var builder = RecordBuilder(
      reader: reader, profile: profile, purpose: .reading,
      // A usual record has some 240 bytes, most of them texts.
      log: RecordLog(capacity: part.range.count / 200), use: { _ in })
    if let walk = workspace.walk { builder.walk = walk }
    builder.record = RecordDraft(capacity: part.range.count / 4 * 3)
    let reading = LibXML2Parser(builder: builder, role: .part)
      .parse(workspace.buffer, isLast: part.isLast)
    workspace.walk = reading?.walk ?? workspace.walk
    return reading
  }
}
