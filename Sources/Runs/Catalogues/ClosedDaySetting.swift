import Calendar
package import CommandOutput
package import LoanRules
package import Loans
package import ReminderSchedule
package import Settings
import System

/// The days on which the library of a catalogue is closed, as somebody has set them.
package struct ClosedDaySetting: Hashable, Sendable {
  /// The absolute paths of the calendars.
  let calendars: [String]
  private let only: [String]
  /// What the settings themselves say.
  private let days: ClosedDays

  /// The days of a calendar that are read: those to which loans belong that matter now.
  private static func period(_ today: CivilDate) -> ClosedRange<CivilDate> {
    today.adding(days: -400)...today.adding(days: 800)
  }

  private static let limit = 16_777_216

  /// - Parameter own: what a catalogue has of its own.
  package init(_ options: ClosedDayOptions, _ environment: Environment, own: [Setting] = []) {
    let origin = { (name: String) in
      environment.given.setting(name, own: own)?.place ?? name
    }
    var days = ClosedDays()
    for weekday in options.closedWeekdays.flatMap(\.weekdays) {
      days.close(weekday, origin: origin("closed-weekdays"))
    }
    for range in options.closedDays.flatMap(\.days) {
      days.close(range, origin: origin("closed-days"))
    }
    for range in options.closedOpen.flatMap(\.days) { days.open(range) }
    self.days = days
    only = options.closedOnly
    calendars = options.closedCalendars.filter { $0 != "none" }.map(environment.absolutePath)
  }

  /// The result of reading the calendars.
  package struct Result {
    package var days: ClosedDays
    /// What is wrong with the calendars, and what is merely odd, as lines for standard error.
    package var errors: [String] = []
    package var warnings: [String] = []
    /// The first warning about each calendar whose warnings have changed since they were reported.
    var news: [String] = []
    /// What makes a calendar close nothing, which is reported every time.
    package var unused: [String] = []
    package var status: ExitStatus { errors.isEmpty ? .done : .invalidData }
    /// The good readings, to be kept.
    fileprivate(set) var read: [KeptCalendar] = []
  }

  /// The closed days, with those of the calendars.
  ///
  /// - Parameters:
  ///   - schedule: where the last good reading of a calendar is kept.
  ///   - period: the days that matter, if not those around today.
  /// - Throws: ``CommandError`` with the status `badSetting` for a calendar that cannot be read and
  ///   never was; `ScheduleError`.
  package func closedDays(
    today: CivilDate, schedule: ScheduleReader?, period: ClosedRange<CivilDate>? = nil
  ) throws -> Result {
    var result = Result(days: days)
    for path in calendars {
      let calendar = try calendar(path, today, schedule, period, &result)
      for day in calendar.days {
        result.days.close(day.day, name: day.name, origin: "\(path):\(day.line)")
      }
    }
    return result
  }

  private func calendar(
    _ path: String, _ today: CivilDate, _ schedule: ScheduleReader?,
    _ period: ClosedRange<CivilDate>?, _ result: inout Result
  ) throws -> KeptCalendar {
    do throws(CommandError) {
      let reading = try read(path, within: period ?? Self.period(today))
      let warnings = reading.warnings.map { "\(path.visible):\($0.line): \($0.message)" }
      result.warnings += warnings
      // What has been reported is kept as the names of the days of another calendar.
      let reported = KeptCalendar(
        path: "reported\n\(key(of: path))", readOn: today,
        days: warnings.map { CalendarDay(day: .first, name: $0, line: 0) })
      if (try? schedule?.calendar(reported.path)?.days) ?? [] != reported.days {
        result.read.append(reported)
        let more = warnings.count == 1 ? "" : "; check-loans closed has the others"
        result.news += warnings.prefix(1).map { $0 + more }
      }
      if reading.chosen == 0 && !only.isEmpty {
        result.unused.append(
          "\(path.visible): no event fits \(only.joined(separator: ", ").quoted(limit: 80)); correct "
            + "closed-only, or the calendar closes nothing")
      }
      if reading.chosen == 0 && only.isEmpty, let kept = try? schedule?.calendar(key(of: path)),
        !kept.days.isEmpty
      {
        result.unused.append(
          "\(path.visible): no event is left in this calendar; using the closed days that it had on "
            + "\(kept.readOn); if it is right, leave it out of closed-calendars")
        return kept
      }
      let calendar = KeptCalendar(path: key(of: path), readOn: today, days: reading.days)
      result.read.append(calendar)
      return calendar
    } catch {
      guard let kept = try schedule?.calendar(key(of: path)) else { throw error }
      result.errors.append(
        (error.message ?? "") + "; using the closed days that it had on \(kept.readOn)")
      return kept
    }
  }

  /// What a calendar is kept by: the events chosen from it are among that.
  private func key(of path: String) -> String { ([path] + only).joined(separator: "\n") }

  /// - Throws: ``CommandError`` with the status `badSetting`.
  private func read(
    _ path: String, within period: ClosedRange<CivilDate>
  ) throws(CommandError) -> CalendarReading {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.bytes(of: path, limit: Self.limit)
    } catch {
      let words = error.words("calendar", limit: Self.limit, harm: "decides when notices are sent")
      throw CommandError(.badSetting, "\(path.visible): \(words)")
    }
    do throws(CalendarFault) {
      return try CalendarReading(bytes, within: period) { texts in
        only.isEmpty
          || texts.contains { text in only.contains { FilePattern.begins(text, like: $0) } }
      }
    } catch {
      throw CommandError(.badSetting, "\(path.visible):\(error.line): \(error.message)")
    }
  }
}

/// Reads the closed days of several catalogues, many of which may have the same calendars, and keeps
/// the good readings.
package struct ClosedDaysReader {
  /// The closed days of the settings read so far.
  private(set) var known: [ClosedDaySetting: ClosedDays] = [:]

  /// The closed days of a setting.
  ///
  /// - Parameters:
  ///   - schedule: where good readings are kept, and found again; `nil` for nowhere.
  ///   - remembered: where they are found again without one.
  ///   - onResult: gets the result when it is first read.
  /// - Throws: ``CommandError`` with the status `badSetting` for a calendar that cannot be read and
  ///   never was; `ScheduleError`.
  mutating func read(
    _ setting: ClosedDaySetting, today: CivilDate, _ schedule: Schedule?,
    _ remembered: ScheduleReader? = nil, onResult: (ClosedDaySetting.Result) -> Void
  ) throws -> ClosedDays {
    if let days = known[setting] { return days }
    let result = try setting.closedDays(today: today, schedule: schedule?.reader ?? remembered)
    onResult(result)
    for calendar in result.read { try schedule?.keep(calendar) }
    known[setting] = result.days
    return result.days
  }
}
