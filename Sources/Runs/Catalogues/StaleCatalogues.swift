import ArgumentParser
package import CommandOutput
import Loans
package import ReminderSchedule
import ReminderService
package import Settings

/// The catalogues whose loans may no longer be there: their files are older than `stale-after` allows, so
/// their expired notices are held; or the library's server does not know the borrower, so the schedule
/// holds all.
package struct StaleCatalogues {
  /// A sentence about each.
  package private(set) var sentences: [String] = []
  private var names: Set<[UInt8]> = []
  /// The names of those whose borrower is unknown.
  private var unknown: Set<[UInt8]> = []

  /// - Parameters:
  ///   - files: when the file of each catalogue was written last, if that is known.
  ///   - limits: how old each may be, by name; `nil` for any age.
  package init(
    _ files: [(name: String, modifiedAt: ClockTime?)], _ limits: [String: TimeSpan?],
    at now: ClockTime
  ) {
    for (name, modifiedAt) in files {
      guard let limit = limits[name] ?? nil, let modifiedAt else { continue }
      let age = TimeSpan(seconds: modifiedAt.seconds(until: now))
      if age.seconds <= limit.seconds { continue }
      names.insert(Array(name.utf8))
      // What has no path is fetched.
      let isFile = name.hasPrefix("/")
      let advice =
        isFile ? "check its export, and that a newer file is read" : "see why no run can fetch it"
      sentences.append(
        """
        \(name.visibleCatalogue) was last \(isFile ? "written" : "fetched") \(age.words) ago, longer than \
        stale-after allows (\(limit)); its expired notices are held; \(advice)
        """)
    }
  }

  /// Those of the catalogues in a schedule that `limits` names.
  package init(
    _ schedule: ScheduleReader, _ limits: [String: TimeSpan?], at now: ClockTime
  ) throws(ScheduleError) {
    let isLimited = limits.values.contains { $0 != nil }
    let known = isLimited ? try schedule.catalogueStatus() : []
    self.init(known.map { ($0.name, $0.modifiedAt) }, limits, at: now)
    for (name, since) in try schedule.unknownBorrowers() where limits.keys.contains(name) {
      unknown.insert(Array(name.utf8))
      sentences.append(
        """
        \(name.visibleCatalogue): the server has not known the borrower since \(since), so all \
        notices are held; if the borrower has left, use check-loans schedule forget \
        \(name.shellQuoted.visible), and otherwise correct the request
        """)
    }
  }

  /// Whether a catalogue is too old.
  package func contains(_ name: String) -> Bool { names.contains(Array(name.utf8)) }

  /// Whether a catalogue's borrower is unknown.
  package func isBorrowerUnknown(of name: String) -> Bool { unknown.contains(Array(name.utf8)) }

  /// The names of catalogues, those that are too old and the others apart.
  func apart(_ names: [String]) -> [[String]] {
    if self.names.isEmpty { return [names] }
    return [names.filter { !contains($0) }, names.filter(contains)].filter { !$0.isEmpty }
  }

  /// Removes the expired notices of those that are too old from what is due of catalogues that were
  /// taken ``apart(_:)``.
  ///
  /// - Returns: how many there were.
  func hold(in due: inout [ZoneDue]) -> Int {
    var held = 0
    for index in due.indices where due[index].zone.catalogues?.first.map(contains) == true {
      held += due[index].due.rungs.count
      due[index].due.rungs.removeAll { $0.rung > 0 }
      held -= due[index].due.rungs.count
    }
    return held
  }
}

extension Console {
  /// Prints what there is to say about catalogues whose loans may no longer be there.
  ///
  /// - Returns: the status of it.
  package func report(_ stale: StaleCatalogues) -> ExitStatus {
    stale.sentences.forEach { printError($0) }
    return stale.sentences.isEmpty ? .done : .invalidData
  }
}
