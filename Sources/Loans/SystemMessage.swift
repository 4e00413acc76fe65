internal import Glibc

/// The system's message for an error number, `No space left on device`; `error 4711` for a number
/// that it does not know.
///
/// - Parameter errorNumber: as in errno(3).
/// - SeeAlso: `strerror_r(3)`.
public func systemMessage(for errorNumber: Int32) -> String {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let start = buffer.baseAddress,
      unsafe strerror_r(errorNumber, start, buffer.count) == 0
    else { return "error \(errorNumber)" }
    return unsafe String(cString: start)
  }
}
