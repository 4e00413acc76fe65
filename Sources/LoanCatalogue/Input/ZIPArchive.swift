import Glibc

/// The reason why a file is not unpacked, or not to its end.
///
/// Nothing in it is quoted: whoever reads this need not be allowed to read the file.
struct UnpackingError: Error {
  var message: String
}

/// Finds the one XML document in a ZIP archive, by the list of files at its end.
///
/// - SeeAlso: APPNOTE.TXT, 4.3 and 4.4.
struct ZIPArchive {
  /// The place of the document.
  struct Entry {
    var bytes: Range<Int>
    /// Whether it is packed there.
    var isDeflated: Bool
    /// The document's CRC-32.
    var checksum: UInt
  }

  static let name = "ZIP archive"
  private static let longestList = 64 << 20
  private let descriptor: Int32
  private let size: Int

  init(_ descriptor: Int32, size: Int) {
    self.descriptor = descriptor
    self.size = size
  }

  /// The document: Tellico's, or the only one with a name as documents have, or the only file.
  func document() throws(UnpackingError) -> Entry {
    let files = try list().filter { !$0.name.hasSuffix("/") }
    let documents = files.filter { $0.name.lowercased().hasSuffix(".xml") }
    if files.contains(where: { ["[Content_Types].xml", "mimetype"].contains($0.name) }) {
      throw UnpackingError(
        message: """
          this is an Office or OpenDocument file or an e-book, not XML; export the loans as XML
          """)
    }
    let tellico = files.filter { $0.name == "tellico.xml" }
    let possible = tellico.count == 1 ? tellico : documents.isEmpty ? files : documents
    guard let document = possible.first, possible.count == 1 else {
      throw UnpackingError(
        message: documents.isEmpty
          ? "there is no XML document in this \(Self.name); unzip -l lists what is in it"
          : """
          there are \(documents.count) XML documents in this \(Self.name); unpack it and give \
          those that list loans
          """)
    }
    return try entry(document)
  }
}

// MARK: - How it is written

extension ZIPArchive {
  /// A file in the archive's list, with the bytes there before its name.
  private typealias Listed = (name: String, header: [UInt8])

  private func list() throws(UnpackingError) -> [Listed] {
    let tailLength = min(size, 65_557)
    let tail = try bytes(size - tailLength, tailLength)
    let signature: [UInt8] = [0x50, 0x4B, 5, 6]
    guard
      let start = (0...max(0, tailLength - 22)).last(where: {
        tail[$0...].starts(with: signature)
      }), tailLength - start >= 22
    else { throw Self.damaged }
    let (length, offset) = (tail.number(start + 12, 4), tail.number(start + 16, 4))
    guard length <= Self.longestList else { throw Self.unsupported }
    let list = try bytes(offset, length)
    var files: [Listed] = []
    var next = 0
    while files.count < tail.number(start + 10, 2) {
      guard list.count - next >= 46, list.number(next, 4) == 0x0201_4B50 else { throw Self.damaged }
      let name = next + 46..<next + 46 + list.number(next + 28, 2)
      guard name.upperBound <= list.count else { throw Self.damaged }
      files.append((String(decoding: list[name], as: UTF8.self), Array(list[next..<next + 46])))
      next = name.upperBound + list.number(next + 30, 2) + list.number(next + 32, 2)
    }
    return files
  }

  private func entry(_ file: Listed) throws(UnpackingError) -> Entry {
    guard file.header.number(8, 2) & 1 == 0 else {
      throw UnpackingError(
        message: "this \(Self.name) is encrypted; unpack it first with its password")
    }
    let (length, start) = (file.header.number(20, 4), file.header.number(42, 4))
    let method = file.header.number(10, 2)
    guard method == 0 || method == 8, max(length, start) < 0xFFFF_FFFF else {
      throw Self.unsupported
    }
    let local = try bytes(start, 30)
    let first = start + 30 + local.number(26, 2) + local.number(28, 2)
    guard local.number(0, 4) == 0x0403_4B50, first + length <= size else { throw Self.damaged }
    return Entry(
      bytes: first..<first + length, isDeflated: method == 8,
      checksum: UInt(file.header.number(16, 4)))
  }

  static let damaged = UnpackingError(
    message: "this \(name) is cut off or damaged; fetch it again")
  private static let unsupported = UnpackingError(
    message: "this \(name) is of a kind that cannot be read directly; unpack it first")

  private func bytes(_ start: Int, _ count: Int) throws(UnpackingError) -> [UInt8] {
    guard start >= 0, start + count <= size else { throw Self.damaged }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let target = UnsafeMutableRawBufferPointer(buffer)
      unsafe filled = max(0, readFile(descriptor, at: start, into: target))
    }
    guard bytes.count == count else { throw Self.damaged }
    return bytes
  }
}

extension [UInt8] {
  /// The number in some bytes, least significant first.
  fileprivate func number(_ start: Int, _ count: Int) -> Int {
    self[start..<start + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
