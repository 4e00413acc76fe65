import Glibc

/// A system call that failed where the program cannot go on without it.
struct SystemFailure: Error {
  /// The number of errno(3).
  let number: Int32

  /// The failure of the call that has just returned.
  static var last: SystemFailure { SystemFailure(number: errno) }

  /// The system's sentence for it.
  ///
  /// - SeeAlso: `strerror_r(3)`.
  var sentence: String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
    return String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
