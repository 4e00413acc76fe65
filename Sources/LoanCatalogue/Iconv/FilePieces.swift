/// The bytes of an open catalogue, piece by piece.
struct FilePieces: ByteSource, ~Copyable {
  private static let pieceSize = 64 * 1024
  private let file: CatalogueFile

  init(_ file: consuming CatalogueFile) {
    self.file = file
  }

  /// A failure to read ends the bytes, as the file's end does.
  func nextPiece() -> [UInt8] {
    unsafe Array(unsafeUninitializedCapacity: Self.pieceSize) { buffer, count in
      unsafe count = max(0, file.read(into: UnsafeMutableRawBufferPointer(buffer)))
    }
  }
}
