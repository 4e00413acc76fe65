import Loans
import TestSupport

/// A schedule that version 1 of the file's format left behind, and what was in it.
///
/// It was written by a run that read the catalogue `Version1/books.xml` from standard input on the
/// day before, delivered everything due through the channel `stdout`, and nothing through others.
enum Version1 {
  private static let directory = "\(projectDirectory)/Tests/FaultTests/Version1"

  /// The catalogue that was read, and is read again.
  static let cataloguePath = "\(directory)/books.xml"

  /// The library of the catalogue.
  static let library = Library(loans: 300, today: Scene.yesterday)

  /// What was delivered through `stdout`.
  static let told = library.due(today: Scene.yesterday)

  /// Puts a copy into a folder's `state`.
  static func copySchedule(to folder: ScratchFolder) throws {
    try folder.write(
      bytes: File.bytes(of: "\(directory)/schedule.sqlite"), to: Trial.schedule)
  }
}
