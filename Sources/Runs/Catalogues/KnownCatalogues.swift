package import CommandOutput
package import Loans
package import ReminderSchedule
import ReminderService
package import Settings

/// The names of catalogues for which it is the same time.
package typealias ZoneGroup = (clock: LocalClock, now: CivilDateTime, names: [String])

/// The settings of catalogues, by their names in the schedule.
package struct KnownCatalogues {
  /// The names of the catalogues in each time zone.
  package var zones: [ZoneGroup] = []
  /// The closed days of their libraries.
  package private(set) var closedDays: [String: ClosedDaySetting] = [:]
  /// The ages up to which their files are believed, `nil` for any age.
  package private(set) var staleLimits: [String: TimeSpan?] = [:]

  /// The settings of catalogues that are read.
  package init(_ catalogues: [CatalogueToRead]) {
    for catalogue in catalogues {
      add(
        catalogue.source.name, catalogue.clock, catalogue.now, catalogue.closed,
        catalogue.staleAfter)
    }
  }

  /// The settings of the schedule's catalogues, as the tables of the settings file have them.
  ///
  /// - Parameters:
  ///   - clock: the clock of a catalogue without a zone of its own.
  ///   - now: the time to take for now.
  ///   - closed: what holds for a catalogue without closed days of its own.
  ///   - stale: what holds for one without an age of its own.
  package init(
    _ names: [String], _ environment: Environment, _ clock: LocalClock, now: CivilDateTime?,
    closed: ClosedDayOptions? = nil, stale: StaleOptions? = nil
  ) throws(CommandError) {
    let tables = environment.given.tables
    var clocks: [LocalClock] = []
    for table in tables {
      clocks.append(try table.options.catalogue.zone.clock(environment, own: table.own))
    }
    let closedDays = tables.map {
      ClosedDaySetting($0.options.catalogue.closed, environment, own: $0.own)
    }
    let (owners, others) = (
      CatalogueOwners(tables, environment), closed.map { ClosedDaySetting($0, environment) }
    )
    for name in names {
      let owner = owners[name]
      let clock = owner.map { clocks[$0] } ?? clock
      add(
        name, clock, try clock.now(now), owner.map { closedDays[$0] } ?? others,
        owner.flatMap { tables[$0].options.staleAfter } ?? stale?.staleAfter)
    }
  }

  private mutating func add(
    _ name: String, _ clock: LocalClock, _ now: CivilDateTime, _ closed: ClosedDaySetting?,
    _ staleAfter: TimeSpan?
  ) {
    let index = zones.firstIndex { $0.clock.variable == clock.variable } ?? zones.endIndex
    if index == zones.endIndex { zones.append((clock, now, [])) }
    zones[index].names.append(name)
    closedDays[name] = closed
    staleLimits[name] = .some(staleAfter)
  }

  /// The time in the library of a catalogue; `nil` if it is none of these.
  package func now(of catalogue: String) -> CivilDateTime? {
    zones.first { $0.names.contains(catalogue) }?.now
  }
}

extension [ZoneGroup] {
  /// The groups as questions to a schedule take them.
  package var questions: [ZonedCatalogues] { map { ($0.now, $0.names) } }

  /// Leaves out the catalogues that were moved, probably, under both names: what is due would be sent once
  /// more, or of books that are back.
  ///
  /// - Parameter report: gets a sentence about each.
  package func withoutMoved(
    _ schedule: ScheduleReader, report: (String) -> Void
  ) throws(ScheduleError) -> [ZoneGroup] {
    guard let now = first?.now else { return self }
    let moved = try schedule.movedCatalogues(among: flatMap(\.names), at: now)
    if moved.isEmpty { return self }
    for (name, oldName, isGone) in moved {
      let (new, old) = (name.shellQuoted.visible, oldName.shellQuoted.visible)
      report(
        """
        \(name.visibleCatalogue) has the loans of \(oldName.visibleCatalogue)\
        \(isGone ? ", which is gone" : ""), so the notices of both are held; if it \
        \(isGone ? "was moved" : "replaces that file"), use check-loans schedule rename-catalogue \(old) \
        \(new), and otherwise check-loans schedule forget \(isGone ? old : new)
        """)
    }
    let both = moved.flatMap { [$0.name, $0.oldName] }
    return map { clock, now, names in (clock, now, names.filter { !both.contains($0) }) }
  }
}
