import CommandOutput
import System
import SystemPackage

/// A file that holds a calendar, for programs that fetch it when it has changed.
struct CalendarFile {
  let path: String

  init(_ path: String) { self.path = path }

  /// The content of the file; `nil` if there is none that can be read.
  var bytes: [UInt8]? {
    try? WholeFile.bytes(of: path, limit: 1 << 28, mayBeWritableByAll: true)
  }

  /// Puts a calendar in place of the file, unless the two differ only in when they were made.
  ///
  /// - Parameter permissions: those of a file that is not there yet.
  /// - Throws: ``CommandError`` with the status `cannotCreate` or `inputOutput`; the file is as it was.
  func replace(
    with calendar: [UInt8], permissions: FilePermissions
  ) throws(CommandError) {
    if let old = bytes, Self.lastingLines(old).elementsEqual(Self.lastingLines(calendar)) { return }
    let file = try ResultsFile(path, permissions: permissions)
    try file.write(calendar.span)
    try file.commit()
  }

  /// The lines but those that only say when the catalogue was changed.
  private static func lastingLines(
    _ calendar: [UInt8]
  ) -> some Sequence<ArraySlice<UInt8>> {
    calendar.split(separator: UInt8(ascii: "\n")).lazy.filter { line in
      !line.starts(with: "DTSTAMP:".utf8) && !line.starts(with: "LAST-MODIFIED:".utf8)
    }
  }
}
