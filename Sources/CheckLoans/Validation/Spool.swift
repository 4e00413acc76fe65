/// Text that is kept until it is known what comes before it: in memory while it is short, then in
/// a file without a name, so that memory stays flat.
final class Spool {
  private static let mostInMemory = 1_048_576
  private let directory: String
  private var bytes: [UInt8] = []
  private var file: ScratchFile?

  /// - Parameter directory: where the file is made if one is needed.
  init(directory: String) {
    self.directory = directory
  }

  /// Appends a text.
  ///
  /// - Throws: ``CommandError`` with the status `inputOutput`.
  func append(_ text: String) throws(CommandError) {
    bytes.append(contentsOf: text.utf8)
    if bytes.count > Self.mostInMemory { try moveToFile() }
  }

  /// Hands over all that was appended, piece by piece.
  func forEach(_ body: (Span<UInt8>) throws(CommandError) -> Void) throws(CommandError) {
    if let file {
      var piece = [UInt8](repeating: 0, count: 65_536)
      try file.read(0..<file.size, into: &piece, body)
    }
    let rest = bytes
    try body(rest.span)
  }

  private func moveToFile() throws(CommandError) {
    if file == nil { file = try ScratchFile(in: directory) }
    let held = bytes
    try file?.append(held.span)
    bytes.removeAll(keepingCapacity: true)
  }
}
