import Foundation
import TestSupport

/// A directory of one test, mode 0700, gone with the value.
final class Scratch {
  let directory: String

  init() throws {
    directory =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("schedule-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Where the tests keep their schedule.
  var file: String { path("schedule.sqlite") }

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  func bytes(_ path: String) throws -> Data {
    Data(try File.bytes(of: path))
  }

  func write(_ data: Data, to path: String) throws {
    try data.write(to: URL(fileURLWithPath: path))
  }

  /// Overwrites four bytes of a file with a big-endian number.
  func patch(_ path: String, at offset: Int, with number: UInt32) throws {
    var data = try bytes(path)
    for index in 0..<4 {
      data[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index))
    }
    try write(data, to: path)
  }

  func makeDirectory(_ path: String, mode: Int) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try setMode(mode, of: path)
  }

  func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  func mode(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? -1
  }

  func modified(_ path: String) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
  }

  func link(_ path: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  func hardLink(_ path: String, to target: String) throws {
    try FileManager.default.linkItem(atPath: target, toPath: path)
  }

  func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }

  func makeFIFO(_ path: String) throws {
    guard unsafe mkfifo(path, 0o600) == 0 else { throw TestFailure() }
  }

  /// Makes somebody else the owner; root alone can.
  func giveAway(_ path: String) throws {
    guard unsafe chown(path, 65_534, 65_534) == 0 else { throw TestFailure() }
  }

  /// A descriptor that the schedule knows nothing of, like another process's.
  func open(_ path: String) throws -> Int32 {
    let descriptor = unsafe Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TestFailure() }
    return descriptor
  }
}
