import Loans
import Notifiers
import ReminderSchedule
import ReminderService
import TestSupport
import Testing

/// A catalogue that changes.
struct Library {
  private let folder: ScratchFolder
  /// The catalogue's name, and that of its file without the ending.
  private(set) var name = "books"

  init() throws { folder = try ScratchFolder() }

  var path: String { folder.path }

  var catalogue: CatalogueSource {
    CatalogueSource(path: "\(folder.path)/\(name).xml", name: name)
  }

  /// Gives the catalogue another name and place.
  mutating func move(to name: String) { self.name = name }

  /// Makes these all the loans there are: the one with the id 7 has the title T7.
  func lend(_ loans: KeyValuePairs<String, String>) throws {
    let books = loans.map { id, expiration in
      "<book id=\"\(id)\"><title>T\(id)</title><expiration>\(expiration)</expiration></book>"
    }
    try write("<books>\(books.joined())</books>")
  }

  func write(_ text: String) throws { try folder.write(text, to: "\(name).xml") }
}

extension ReminderCenter {
  /// Delivers what is due of all catalogues, which are in the center's time zone.
  @discardableResult
  func deliver(
    through notifier: any Notifier, at now: CivilDateTime,
    isStopRequested: @Sendable () -> Bool = { false }
  ) throws(ScheduleError) -> DeliveryReport {
    try deliver(through: notifier, in: [zone(at: now)], isStopRequested: isStopRequested)
  }
}

/// A civil moment from ISO 8601.
func moment(_ text: String) throws -> CivilDateTime { try #require(CivilDateTime(iso: text)) }
