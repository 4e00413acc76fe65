import LoanCatalogue
import Loans

/// What fixing changes in a file, as patch(1) and git-apply(1) take it.
struct UnifiedDiff {
  var path: String
  var fixes: CatalogueFixes
  /// Gives the file's bytes from a place on, at most so many; none at the end.
  var read: (_ offset: Int, _ count: Int) throws(CommandError) -> [UInt8]

  private static let pieceSize = 64 * 1_024

  /// Writes the whole diff; nothing if there is nothing to change.
  ///
  /// The file goes by twice, and never more than a piece of it is in memory.
  func write(_ put: ([UInt8]) throws(CommandError) -> Void) throws(CommandError) {
    let hunks = try hunks()
    guard !hunks.isEmpty else { return }
    try put(Array("--- \(Self.name("a/", path))\n+++ \(Self.name("b/", path))\n".utf8))
    for hunk in hunks { try write(hunk, put) }
  }

  private func hunks() throws(CommandError) -> [DiffHunk] {
    var hunks = DiffHunks(fixes.edits)
    var offset = 0
    while case let piece = try read(offset, Self.pieceSize), !piece.isEmpty {
      hunks.take(piece, at: offset)
      offset += piece.count
    }
    hunks.finish(at: offset)
    return hunks.hunks
  }

  private func write(
    _ hunk: DiffHunk, _ put: ([UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) {
    try put(Array(hunk.head.utf8))
    var end = hunk.bytes.lowerBound
    for change in hunk.changes {
      try write(end..<change.lowerBound, " ", put)
      try write(change, "-", put)
      try write(change, "+", isFixed: true, put)
      end = change.upperBound
    }
    try write(end..<hunk.bytes.upperBound, " ", put)
  }

  /// Writes whole lines, with a sign before each of them.
  private func write(
    _ bytes: Range<Int>, _ sign: Unicode.Scalar, isFixed: Bool = false,
    _ put: ([UInt8]) throws(CommandError) -> Void
  ) throws(CommandError) {
    var isAtStart = true
    var offset = bytes.lowerBound
    while offset < bytes.upperBound {
      let piece = try read(offset, min(Self.pieceSize, bytes.upperBound - offset))
      guard !piece.isEmpty else {
        throw CommandError(
          .tryAgain,
          "\(path.visible): the file was changed meanwhile; the diff is useless, try again")
      }
      var text: [UInt8] = []
      for byte in isFixed ? fixes.fixed(piece, at: offset) : piece {
        if isAtStart { text.append(UInt8(truncatingIfNeeded: sign.value)) }
        text.append(byte)
        isAtStart = byte == 0x0A
      }
      try put(text)
      offset += piece.count
    }
    if !isAtStart { try put(Array("\n\\ No newline at end of file\n".utf8)) }
  }

  /// The file's name below `prefix`, without what leads to the root, in quotation marks where it
  /// has to be, and with a tab behind it if there is a space in it: as git-diff(1) has it.
  static func name(_ prefix: String, _ path: String) -> String {
    let parts = path.split(separator: "/").filter { $0 != "." }
    let name = prefix + parts.joined(separator: "/")
    guard name.utf8.contains(where: \.needsQuoting) else {
      return name.utf8.contains(UInt8(ascii: " ")) ? "\(name)\t" : name
    }
    var bytes: [UInt8] = []
    for byte in name.utf8 { bytes += byte.needsQuoting ? byte.quoted : [byte] }
    return "\"\(String(decoding: bytes, as: UTF8.self))\""
  }
}

extension UInt8 {
  fileprivate var needsQuoting: Bool {
    self < 0x20 || self == 0x7F || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
  }

  /// As in a string of C.
  fileprivate var quoted: [UInt8] {
    if self >= 0x20 && self < 0x7F { return [UInt8(ascii: "\\"), self] }
    let digits = [6, 3, 0].map { UInt8(ascii: "0") + (self >> UInt8($0)) & 7 }
    return [UInt8(ascii: "\\")] + digits
  }
}
