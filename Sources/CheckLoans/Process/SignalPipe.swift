import CLinux
import Glibc
import System
import SystemPackage

/// Receives signals through a pipe, into which a handler in C writes their numbers.
///
/// The process can have one of them.
///
/// - SeeAlso: `sigaction(2)`, `pipe2(2)`, `signal-safety(7)`.
struct SignalPipe: ~Copyable {
  /// To be polled for reading.
  let descriptor: Int32
  private let input: Int32
  private var caught: [Int32] = []

  /// - Throws: `Errno` if the system cannot give what it takes.
  init() throws(Errno) {
    let ends = try Errno.thrown {
      try FileDescriptor.pipe(options: [.closeOnExec, .nonBlocking])
    }
    (descriptor, input) = (ends.readEnd.rawValue, ends.writeEnd.rawValue)
  }

  deinit {
    for number in caught { signal(number, SIG_DFL) }
    close(input)
    close(descriptor)
  }

  /// Receives a signal from now on, each time that it comes.
  ///
  /// - Throws: `Errno` if the system cannot give what it takes.
  mutating func receive(_ number: Int32) throws(Errno) {
    try catchSignal(number, stops: 0)
  }

  /// Receives a signal to end, the first that comes; a second one, of whatever number, ends the
  /// process at once, with the children that are running.
  ///
  /// One that is ignored stays ignored, as that of a job in the background does.
  ///
  /// - Throws: `Errno` if the system cannot give what it takes.
  mutating func receiveFirst(_ number: Int32) throws(Errno) {
    if check_loans_is_ignored(number) == 0 { try catchSignal(number, stops: 1) }
  }

  private mutating func catchSignal(_ number: Int32, stops: Int32) throws(Errno) {
    guard check_loans_catch_signal(number, input, stops) == 0 else { throw Errno.last }
    caught.append(number)
  }

  /// Takes the signals that came since the last call, without waiting.
  func read() -> [Int32] {
    var numbers: [Int32] = []
    var buffer = [UInt8](repeating: 0, count: 512)
    while case let count = unsafe Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
      numbers += buffer[..<count].map(Int32.init)
    }
    return numbers
  }
}
