/// The first bytes of a file that should be a schedule.
///
/// - SeeAlso: <https://www.sqlite.org/fileformat.html>, section 1.3.
struct FileHeader {
  private static let ownID = UInt32(bitPattern: Schema.applicationID)

  /// At most the first 4,096 bytes.
  let bytes: [UInt8]

  /// Whether it is the beginning of an SQLite database.
  var isDatabase: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

  /// Whether it is a schedule of ours, damaged or not.
  var isSchedule: Bool {
    isDatabase && bytes.count >= 100 && applicationID == Self.ownID
  }

  /// Whether it is a database with a header that SQLite never writes.
  var isDamaged: Bool {
    // The versions of the file format for writing and for reading: 1, or 2 for a WAL.
    isDatabase && bytes.count > 19 && (!(1...2).contains(bytes[18]) || bytes[18] != bytes[19])
  }

  /// Whether it is text, like a file that was named by mistake.
  var isText: Bool {
    guard !bytes.contains(0) else { return false }
    // A character may be cut at the end of the part that was read.
    return (0..<4).contains { String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
  }

  /// The error of a file that is certainly not a schedule; `nil` for any other.
  func refusal(path: String) -> ScheduleError? {
    if bytes.isEmpty { return nil }
    if isDatabase, bytes.count >= 100 {
      let isNew = applicationID == 0 && number(at: 60) == 0 && number(at: 28) <= 1
      // With one bit off it may be ours, damaged.
      if isNew || (applicationID ^ Self.ownID).nonzeroBitCount <= 1 { return nil }
      return ScheduleError.notASchedule(path, "belongs to another program")
    }
    return isText ? ScheduleError.notASchedule(path, "is not a database") : nil
  }

  private var applicationID: UInt32 { number(at: 68) }

  /// The number in four bytes, the high one first.
  private func number(at offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
