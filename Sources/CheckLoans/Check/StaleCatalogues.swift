import ArgumentParser
import Loans
import ReminderSchedule
import ReminderService

/// The option for the age of a catalogue's file.
struct StaleOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Hold the notices that loans have expired while the catalogue's file is older than this, as in 36h \
      or 8d. (default: a file may be old)
      """, valueName: "age"), transform: Age.parse)
  var staleAfter: Age?
}

/// The catalogues whose loans may no longer be there: their files are older than `stale-after` allows, so
/// their expired notices are held; or their servers do not know the borrower, so all are.
struct StaleCatalogues {
  /// The notices that are held.
  private enum Extent { case expired, all }

  /// What there is to say about each.
  private(set) var sentences: [String] = []
  /// By the bytes of their names.
  private var extents: [[UInt8]: Extent] = [:]

  /// None.
  init() {}

  /// - Parameters:
  ///   - files: when the file of each catalogue was written last, if that is known.
  ///   - limits: how old each may be, by name; `nil` for any age.
  init(
    _ files: [(name: String, modifiedAt: ClockTime?)], _ limits: [String: Age?], at now: ClockTime
  ) {
    for (name, modifiedAt) in files {
      guard let limit = limits[name] ?? nil, let modifiedAt else { continue }
      let age = Age(seconds: modifiedAt.seconds(until: now))
      if age.seconds <= limit.seconds { continue }
      extents[Array(name.utf8)] = .expired
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

  /// The same for the catalogues of a schedule that `limits` names.
  init(
    _ schedule: ScheduleReader, _ limits: [String: Age?], at now: ClockTime
  ) throws(ScheduleError) {
    let isLimited = limits.values.contains { $0 != nil }
    let known = isLimited ? try schedule.catalogueStatus() : []
    self.init(known.map { ($0.name, $0.modifiedAt) }, limits, at: now)
    for (name, since) in try schedule.unknownBorrowers() where limits.keys.contains(name) {
      extents[Array(name.utf8)] = .all
      sentences.append(
        """
        \(name.visibleCatalogue): the server has not known the borrower since \(since), so all \
        notices are held; if the borrower has left, use check-loans schedule forget \
        \(name.shellQuoted.visible), and otherwise correct the request
        """)
    }
  }

  /// Whether a catalogue is one of them.
  func contains(_ name: String) -> Bool { extents[Array(name.utf8)] != nil }

  /// Whether all notices of a catalogue are held.
  func holdsAll(of name: String) -> Bool { extents[Array(name.utf8)] == .all }

  /// The names of catalogues, apart by what is held of them.
  func apart(_ names: [String]) -> [[String]] {
    if extents.isEmpty { return [names] }
    return [nil, .expired, .all].map { extent in
      names.filter { extents[Array($0.utf8)] == extent }
    }.filter { !$0.isEmpty }
  }

  /// Removes what is held from what is due of catalogues that were taken ``apart(_:)``.
  ///
  /// - Returns: how many there were.
  func hold(in due: inout [ZoneDue]) -> Int {
    var held = 0
    for index in due.indices {
      guard let name = due[index].zone.catalogues?.first, contains(name) else { continue }
      held += due[index].due.rungs.count
      due[index].due.rungs.removeAll { $0.rung > 0 || holdsAll(of: name) }
      held -= due[index].due.rungs.count
    }
    return held
  }
}

extension Console {
  /// Prints what there is to say about catalogues whose loans may no longer be there.
  ///
  /// - Returns: the status of it.
  func report(_ stale: StaleCatalogues) -> ExitStatus {
    stale.sentences.forEach { printError($0) }
    return stale.sentences.isEmpty ? .done : .invalidData
  }
}
