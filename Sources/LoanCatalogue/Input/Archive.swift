import CArchive
import CZlib

/// The document in a ZIP archive, or in a file compressed by bzip2, xz or zstd, which libarchive
/// unpacks from the beginning to the end.
///
/// In a ZIP archive it is `tellico.xml`, where that comes first, or the only file with a name as
/// documents have.
@safe struct Archive: ~Copyable {
  private static let zip = "ZIP archive"
  private static let kinds: [(start: [UInt8], name: String)] = [
    ([0x50, 0x4B, 3, 4], zip), ([0x50, 0x4B, 5, 6], zip), (Array("BZh".utf8), "bzip2 file"),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz file"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd file"),
  ]
  /// Files by which archives are known that hold something else.
  private static let marks = ["[Content_Types].xml", "mimetype"]

  private let kind: String
  /// `nil` if libarchive is missing.
  private let archive: OpaquePointer?
  /// The name of the document, once it was found.
  private var document: String?
  private var isAtEnd = false

  /// - Parameters:
  ///   - file: what more of it is read from.
  ///   - first: what has been read; `nil` is returned if no archive begins like this.
  @unsafe init?(_ file: gzFile?, after first: UnsafeRawBufferPointer) {
    guard let kind = Self.kinds.first(where: { unsafe first.starts(with: $0.start) })?.name,
      let file = unsafe file
    else { return nil }
    self.kind = kind
    let isZIP: Int32 = kind == Self.zip ? 1 : 0
    unsafe archive = check_loans_archive_open(file, first.baseAddress, first.count, isZIP)
  }

  deinit { if let archive = unsafe archive { unsafe check_loans_archive_close(archive) } }

  /// Reads what comes next of the document.
  ///
  /// - Returns: the number of bytes, 0 at the end.
  @unsafe mutating func read(
    into target: UnsafeMutableRawBufferPointer
  ) throws(UnpackingError) -> Int {
    guard let archive = unsafe archive else {
      throw UnpackingError(
        message: """
          to unpack this \(kind), libarchive.so.13 is needed, which is not installed (Debian: \
          libarchive13); install it, or unpack the file first
          """)
    }
    if document == nil { document = try nextDocument() }
    guard let document else {
      throw UnpackingError(
        message: "there is no XML document in this \(kind); unzip -l lists what is in it")
    }
    if isAtEnd { return 0 }
    let count = unsafe check_loans_archive_read(archive, target.baseAddress, target.count)
    if count < 0 { throw damage }
    isAtEnd = count == 0
    if isAtEnd, document != "tellico.xml", try nextDocument() != nil {
      throw UnpackingError(
        message: """
          there are several XML documents in this \(kind); unpack it and give those that list loans
          """)
    }
    return count
  }

  /// Goes on to the next file with the name of a document.
  ///
  /// - Returns: its name; `nil` if there are no more.
  private func nextDocument() throws(UnpackingError) -> String? {
    var next: UnsafePointer<CChar>?
    while case let status = unsafe check_loans_archive_next(archive, &next), status != 0 {
      if status < 0 { throw damage }
      let name = unsafe next.map { unsafe String(cString: $0) } ?? ""
      if Self.marks.contains(name) {
        throw UnpackingError(
          message: """
            this is an Office or OpenDocument file or an e-book, not XML; export the loans as XML
            """)
      }
      if kind != Self.zip || name.lowercased().hasSuffix(".xml") { return name }
    }
    return nil
  }

  private var damage: UnpackingError {
    UnpackingError(
      message: """
        this \(kind) is cut off, damaged or encrypted; fetch it again, or unpack it first
        """)
  }
}

/// The reason why an archive is not unpacked, which quotes none of its names: see ``DocumentOpening``.
struct UnpackingError: Error {
  var message: String
}
