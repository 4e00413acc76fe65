import Glibc
import Loans

/// An open catalogue: a regular file, or standard input, unpacked if it is packed.
///
/// The file is opened without blocking and looked at before anything is read, so that a FIFO or a
/// device is refused instead of waited for.
struct CatalogueFile: ~Copyable {
  let path: String
  private let descriptor: Int32
  private let before: FileState?
  private var content = PackedFile()

  /// - Throws: ``CatalogueError`` with the code `cannotRead`.
  /// - SeeAlso: `open(2)`, `fstat(2)`.
  init(opening path: String) throws(CatalogueError) {
    self.path = path
    guard path != "-" else {
      descriptor = STDIN_FILENO
      before = nil
      content = PackedFile(descriptor, size: nil)
      return
    }
    descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      let code = errno
      before = nil
      // open(2) of a socket.
      throw code == ENXIO ? Self.notAFile(path, "a socket") : Self.cannotRead(path, code)
    }
    guard let state = FileState(of: descriptor) else {
      let code = errno
      before = nil
      close(descriptor)
      throw Self.cannotRead(path, code)
    }
    before = state
    if let kind = state.unusableKind {
      // From here on `deinit` closes it, also when this throws.
      throw Self.notAFile(path, kind)
    }
    content = PackedFile(descriptor, size: state.size)
  }

  /// How many bytes there were when the file was opened, and how to read any of them; `nil` for
  /// standard input and for what is packed.
  var bytes: (file: FileBytes, size: Int)? {
    isPacked ? nil : before.map { (FileBytes(descriptor: descriptor), $0.size) }
  }

  /// Whether the document is inside a gzip file or a ZIP archive.
  var isPacked: Bool { content.isPacked }

  /// Why nothing more can be unpacked.
  var fault: String? { content.fault }

  deinit {
    if before != nil { close(descriptor) }
  }

  /// Reads what comes next of the document.
  ///
  /// - Returns: the bytes read, 0 at the end, or -1 with ``fault`` or `errno` set.
  @unsafe mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    unsafe content.read(into: buffer)
  }

  /// Checks that the file is the one that was opened, unchanged.
  ///
  /// - Throws: ``CatalogueError`` with the code `changedWhileReading`.
  func checkUnchanged() throws(CatalogueError) {
    guard let before, FileState(of: descriptor) != before else { return }
    throw CatalogueError(
      code: .changedWhileReading, path: path,
      message: "the file was changed while it was read; nothing was taken from it, try again",
      underlying: nil)
  }

  private static func notAFile(_ path: String, _ kind: String) -> CatalogueError {
    CatalogueError(
      code: .cannotRead, path: path,
      message: "this is \(kind), not a file; give a catalogue file, or - to read standard input",
      underlying: nil)
  }

  private static func cannotRead(_ path: String, _ code: Int32) -> CatalogueError {
    CatalogueError(
      code: .cannotRead, path: path,
      message: "cannot read the catalogue: \(systemMessage(for: code).lowercased())",
      underlying: code)
  }

  /// A failure of reading on the way.
  func inputOutputError(_ code: Int32) -> CatalogueError {
    if code == EISDIR {
      return CatalogueError(
        code: .cannotRead, path: path, message: "this is a directory, not a file", underlying: code)
    }
    return CatalogueError(
      code: .inputOutput, path: path,
      message: "reading failed: \(systemMessage(for: code).lowercased())", underlying: code)
  }
}

/// What `fstat(2)` tells of a file, as far as a change of its content would show in it.
private struct FileState: Equatable {
  private let device: UInt
  private let inode: UInt
  let size: Int
  private let modified: (seconds: Int, nanoseconds: Int)
  private let mode: mode_t

  init?(of descriptor: Int32) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    device = UInt(status.st_dev)
    inode = UInt(status.st_ino)
    size = Int(status.st_size)
    modified = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    mode = status.st_mode
  }

  static func == (left: FileState, right: FileState) -> Bool {
    left.device == right.device && left.inode == right.inode && left.size == right.size
      && left.modified == right.modified
  }

  /// What the file is, unless it is a regular one.
  var unusableKind: String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a directory"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
