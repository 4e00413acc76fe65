import System
import SystemPackage

/// A compiled time zone, as far as it must be checked before glibc reads it, which silently treats a
/// damaged one as UTC.
///
/// - SeeAlso: `tzfile(5)`, RFC 8536.
enum ZoneFile {
  private static let headerLength = 44
  /// No zone file is that long.
  private static let longest = 1 << 18

  /// Whether there is a whole zone file at a path.
  static func isWhole(at path: String) -> Bool {
    guard let file = try? OpenFile(path, followsLinks: true) else { return false }
    return (try? file.readToEnd(limit: longest)).map(isWhole) ?? false
  }

  /// Whether the bytes are a whole zone file: the data blocks as long as their headers say, each
  /// index within its bounds, and from version 2 on at the end a rule, or none, on a line of its own.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard let first = Header(bytes[...]) else { return false }
    let rest = bytes.dropFirst(headerLength)
    guard first.version > 1 else { return first.fits(rest, timeSize: 4) }
    guard rest.count >= first.dataLength(timeSize: 4) else { return false }
    let block = rest.dropFirst(first.dataLength(timeSize: 4))
    guard let second = Header(block) else { return false }
    let data = block.dropFirst(headerLength)
    guard second.fits(data, timeSize: 8) else { return false }
    let rule = data.dropFirst(second.dataLength(timeSize: 8))
    let newline = UInt8(ascii: "\n")
    guard rule.count >= 2, rule.first == newline, rule.last == newline else { return false }
    let text = String(decoding: rule.dropFirst().dropLast(), as: UTF8.self)
    return text.isEmpty || POSIXZone.isValid(text)
  }

  /// The header of a data block, with the lengths of its parts.
  private struct Header {
    let version: Int
    private let counts: [Int]

    init?(_ bytes: ArraySlice<UInt8>) {
      let bytes = Array(bytes.prefix(ZoneFile.headerLength))
      guard bytes.count == ZoneFile.headerLength, bytes.starts(with: "TZif".utf8) else {
        return nil
      }
      version = bytes[4] == 0 ? 1 : Int(bytes[4]) - Int(UInt8(ascii: "0"))
      counts = stride(from: 20, to: 44, by: 4).map { start in
        bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      guard version >= 1, types >= 1, characters >= 1 else { return nil }
    }

    private var utcIndicators: Int { counts[0] }
    private var standardIndicators: Int { counts[1] }
    private var leapSeconds: Int { counts[2] }
    private var transitions: Int { counts[3] }
    private var types: Int { counts[4] }
    private var characters: Int { counts[5] }

    /// Whether the data are as long as the header says, each transition has a type and each type a name.
    func fits(_ data: ArraySlice<UInt8>, timeSize: Int) -> Bool {
      guard data.count >= dataLength(timeSize: timeSize) else { return false }
      let indices = data.dropFirst(transitions * timeSize)
      let kinds = indices.dropFirst(transitions).prefix(types * 6)
      return indices.prefix(transitions).allSatisfy { $0 < types }
        && stride(from: kinds.startIndex, to: kinds.endIndex, by: 6).allSatisfy { start in
          kinds[start + 4] <= 1 && kinds[start + 5] < characters
        }
    }

    func dataLength(timeSize: Int) -> Int {
      transitions * (timeSize + 1) + types * 6 + characters + leapSeconds * (timeSize + 4)
        + standardIndicators + utcIndicators
    }
  }
}
