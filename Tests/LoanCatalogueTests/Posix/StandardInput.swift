import Glibc

/// Standard input of this process, for a child process that a test runs in.
enum StandardInput {
  /// Makes standard input give `bytes` in pieces of `size`, through sockets; socketpair(2),
  /// pthread_create(3).
  static func give(_ bytes: [UInt8], inPiecesOf size: Int) {
    start { Writer(bytes: bytes, size: size, isEndless: false, descriptor: $0) }
  }

  /// Makes standard input give `text` and then books without end.
  static func giveWithoutEnd(_ text: String) {
    let bytes = Array(text.utf8) + Array(String(repeating: "\n<book/>", count: 500).utf8)
    start { Writer(bytes: bytes, size: 4_000, isEndless: true, descriptor: $0) }
  }

  private static func start(_ writer: (Int32) -> Writer) {
    var ends: [Int32] = [-1, -1]
    let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
    precondition(result == 0, "no sockets: error \(errno)")
    dup2(ends[0], STDIN_FILENO)
    close(ends[0])
    let writer = writer(ends[1])
    var thread = pthread_t()
    let failure = unsafe pthread_create(
      &thread, nil, { unsafe Writer.run($0) }, Unmanaged.passRetained(writer).toOpaque())
    precondition(failure == 0, "no thread: error \(failure)")
    pthread_detach(thread)
  }

  private final class Writer {
    let bytes: [UInt8]
    let size: Int
    let isEndless: Bool
    let descriptor: Int32

    init(bytes: [UInt8], size: Int, isEndless: Bool, descriptor: Int32) {
      self.bytes = bytes
      self.size = size
      self.isEndless = isEndless
      self.descriptor = descriptor
    }

    /// Stops when nobody reads any more; send(2).
    private func run() {
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(size)
        let count = unsafe piece.withUnsafeBytes {
          unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count != piece.count { break }
        rest = rest.dropFirst(size)
        if isEndless && rest.isEmpty { rest = bytes.suffix(size) }
      }
      close(descriptor)
    }

    static func run(_ writer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
      guard let writer = unsafe writer else { return nil }
      unsafe Unmanaged<Writer>.fromOpaque(writer).takeRetainedValue().run()
      return nil
    }
  }
}

/// Has the process killed that a test runs in, if it still runs after so many seconds; alarm(2).
func killThisProcess(after seconds: UInt32) {
  alarm(seconds)
}
