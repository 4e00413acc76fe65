import LoanRules
import Loans
import ReminderSchedule
import ReminderService

/// The times at which notices about the loans of each catalogue are sent.
struct DeliveryTimes {
  private let hours: DailyHours?
  /// The days on which nothing is sent, by the names of catalogues.
  private var closedDays: [String: ClosedDays] = [:]

  /// - Parameters:
  ///   - closed: the closed days of each catalogue, by name; used only if nothing is sent on them.
  ///   - schedule: what is used of a calendar that cannot be read.
  init(
    _ options: DeliveryTimeOptions, _ closed: [String: ClosedDaySetting], today: CivilDate,
    _ schedule: ScheduleReader
  ) {
    hours = options.deliverBetween
    if options.deliverWhenClosed { return }
    var known: [ClosedDaySetting: ClosedDays] = [:]
    for (name, setting) in closed {
      // What is wrong with a calendar is reported where it decides when notices fire.
      let days =
        known[setting]
        ?? (try? setting.closedDays(today: today, schedule: schedule))?.days ?? ClosedDays()
      known[setting] = days
      closedDays[name] = days
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
  func reason(of name: String, at now: CivilDateTime) -> (NoticeReason, until: CivilDateTime)? {
    let isClosed = closedDays[name]?.isClosed(now.date) ?? false
    return hours(of: name).holds(at: now).map { (isClosed ? .closed : .quietHours, $0) }
  }

  /// The last moments of the coming days on which notices of a catalogue are sent; the first is today.
  func ends(of name: String, from now: CivilDateTime, days: Int) -> [CivilDateTime] {
    let last = hours?.last ?? CivilTime(secondOfDay: 86_399) ?? .midnight
    return (0..<days).map { CivilDateTime(now.date.adding(days: $0), last) }
      .filter { $0 >= now && closedDays[name]?.isClosed($0.date) != true }
  }
}

extension [CatalogueToRead] {
  /// The closed days of each, by name.
  var closedDays: [String: ClosedDaySetting] {
    Dictionary(map { ($0.source.name, $0.closed) }) { first, _ in first }
  }
}
