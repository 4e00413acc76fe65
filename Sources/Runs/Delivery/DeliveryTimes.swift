package import CommandOutput
import LoanRules
package import Loans
package import ReminderSchedule
import ReminderService
package import Settings

/// The times at which notices about the loans of each catalogue are sent.
package struct DeliveryTimes {
  private let hours: DailyHours?
  /// The days on which nothing is sent, by the names of catalogues.
  private var closedDays: [String: ClosedDays] = [:]
  /// The problems with calendars; their last good readings are used, if there are any.
  package private(set) var problems: [CommandError] = []

  /// - Parameters:
  ///   - closed: the closed days of each catalogue, by name; used only if nothing is sent on them.
  ///   - schedule: where the last good reading of a calendar is kept.
  ///   - reader: what has read closed days already.
  package init(
    _ options: DeliveryTimeOptions, _ closed: [String: ClosedDaySetting], today: CivilDate,
    _ schedule: ScheduleReader, after reader: ClosedDaysReader = ClosedDaysReader()
  ) {
    hours = options.deliverBetween
    if !options.holdWhenClosed { return }
    var reader = reader
    for (setting, catalogues) in Dictionary(grouping: closed, by: \.value) {
      var days = ClosedDays()
      do {
        days = try reader.read(setting, today: today, nil, schedule) { result in
          problems += result.errors.map { CommandError(.invalidData, $0) }
        }
      } catch { problems.append(CommandError(error)) }
      for catalogue in catalogues { closedDays[catalogue.key] = days }
    }
  }

  private func hours(of name: String) -> DeliveryHours {
    DeliveryHours(hours, except: closedDays[name] ?? ClosedDays())
  }

  /// The catalogues of a time zone by the time until which their notices are held, `nil` for those that
  /// are sent now.
  func held(_ names: [String], at now: CivilDateTime) -> [(until: CivilDateTime?, names: [String])]
  {
    if closedDays.isEmpty { return [(DeliveryHours(hours).holds(at: now), names)] }
    return Dictionary(grouping: names) { hours(of: $0).holds(at: now) }
      .sorted { $0.key ?? now < $1.key ?? now }.map { ($0.key, $0.value) }
  }

  /// The reason why notices of a catalogue are held, and until when; `nil` if they are sent now.
  package func reason(of name: String, at now: CivilDateTime) -> (
    NoticeReason, until: CivilDateTime
  )? {
    let isClosed = closedDays[name]?.rests(on: now.date) ?? false
    return hours(of: name).holds(at: now).map { (isClosed ? .closed : .quietHours, $0) }
  }

  /// The last moments of the coming days on which notices of a catalogue are sent; the first is today.
  package func ends(of name: String, from now: CivilDateTime, days: Int) -> [CivilDateTime] {
    let last = hours?.last ?? CivilTime(secondOfDay: 86_399) ?? .midnight
    return (0..<days).map { CivilDateTime(now.date.adding(days: $0), last) }
      .filter { $0 >= now && closedDays[name]?.rests(on: $0.date) != true }
  }
}

extension Console {
  /// Prints what is wrong with calendars.
  ///
  /// - Returns: the worst status of it.
  package func report(_ problems: [CommandError]) -> ExitStatus {
    problems.reduce(.done) { status, problem in
      if let message = problem.message { printError(message) }
      return status.worse(problem.status)
    }
  }
}

extension LocalClock {
  /// The time with the clock's offset from UTC.
  package func clockTime(_ now: CivilDateTime) -> ClockTime {
    ClockTime(now, utcOffset: now.utcOffset(civilTime))
  }
}
