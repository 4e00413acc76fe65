package import CommandOutput
import Glibc
import Languages
import Loans
import Notifiers
package import ReminderSchedule
package import ReminderService
package import Settings
import System

extension DeliveryReport {
  /// The sentences about the notices that are held.
  ///
  /// - Parameter now: the time in the library, whose day is left out.
  func heldWords(_ channel: ChannelName, now: CivilDateTime?) -> [String] {
    let name = channel.name.visible
    func words(_ count: Int, _ end: String) -> String {
      "\(counted(count, "notice")) through \(name) \(count == 1 ? "is" : "are") held \(end)"
    }
    let tomorrow = """
      \(counted(heldForTomorrow, "notice")) through \(name) \(heldForTomorrow == 1 ? "waits" : "wait") until \
      tomorrow: an address gets one message a day
      """
    let end = heldUntil.map { $0.date == now?.date ? $0.time.description : $0.words }
    return (held > 0 ? [words(held, "until \(end ?? "later")")] : [])
      + (heldForTomorrow > 0 ? [tomorrow] : [])
      + (heldAsStale > 0 ? [words(heldAsStale, "until a newer catalogue is read")] : [])
  }
}

extension DeliveryReport {
  /// The sentences about notices that stay pending though the channel works.
  func undeliveredWords(_ channel: ChannelName) -> [String] {
    var words: [String] = []
    let name = channel.name.visible
    if unreachable > 0 {
      let verb = unreachable == 1 ? "has" : "have"
      words.append(
        """
        \(name): \(counted(unreachable, "borrower")) \(verb) no usable address; \
        \(counted(unreachableNotices, "notice")) \(unreachableNotices == 1 ? "stays" : "stay") pending; \
        see check-loans schedule list --failed, or set mail-fallback to the desk's address
        """)
    }
    if overLimit > 0, let limit {
      words.append(
        """
        \(name): \(counted(overLimit, "notice")) \(overLimit == 1 ? "waits" : "wait") for the next \
        run, since a run sends no more than \(counted(limit, "message")); raise mail-limit to send more
        """)
    }
    return words
  }
}

/// The outcome of a delivery through one channel.
struct ChannelOutcome {
  /// The sentences about what was not sent.
  var lines: [String] = []
  var status = ExitStatus.done
  /// Whether something failed that can be tried again.
  var hasFailed = false
  /// Why standard output takes no more.
  var outputFailure: CommandError?
  /// The number of notices that were not sent since the run was stopped.
  var leftByStop = 0
}

/// Delivers what is due in each time zone through channels, each for itself, and reports what could
/// not be delivered.
package struct ChannelDelivery {
  let schedule: Schedule
  /// The catalogues whose loans count.
  let groups: [ZoneGroup]
  /// The times at which notices are sent.
  let times: DeliveryTimes
  let onEvent: @Sendable (ScheduleEvent) -> Void
  let notifiers: ChannelNotifiers
  let console: Console
  var actions: NotificationActions?
  /// The catalogues whose expired notices are held.
  let stale: StaleCatalogues
  /// Whether it is tried again and again, so that what is said of it stays the same.
  var isRepeated = false
  /// Whether what could not be delivered is kept for the next run.
  var isRemembered = true
  /// What to do with notices that nobody may expect; `nil` to ask if they are many.
  let backlog: BacklogChoice?

  package init(
    _ schedule: Schedule, _ groups: [ZoneGroup], _ times: DeliveryTimes, _ stale: StaleCatalogues,
    _ notifiers: ChannelNotifiers, backlog: BacklogChoice?, _ console: Console,
    onEvent: @escaping @Sendable (ScheduleEvent) -> Void
  ) {
    (self.schedule, self.groups, self.times) = (schedule, groups, times)
    (self.stale, self.notifiers, self.backlog) = (stale, notifiers, backlog)
    (self.console, self.onEvent) = (console, onEvent)
  }

  /// Delivers through one channel.
  func deliver(through channel: ChannelName) throws(ScheduleError) -> ChannelOutcome {
    let notifier = notifiers.notifier(of: channel, console, actions: actions)
    let (report, question) = try deliver(channel, through: notifier)
    var outcome = ChannelOutcome(leftByStop: report.leftByStop)
    if let question {
      outcome.lines.append(question)
      outcome.status = .badSetting
    }
    outcome.lines += words(of: report, channel)
    for failure in report.failures {
      if failure.isHandedOn {
        outcome.lines.append("\(failure.error.message); the library gets the notice instead")
        continue
      }
      let words = failure.notices == 0 ? "" : "; \(self.outcome(of: failure.notices))"
      let isOfSystem = failure.error.code == .systemLimit
      outcome.status = outcome.status.worse(isOfSystem ? .systemLimit : .unavailable)
      switch failure.error.code {
      case .outputFailed(EINTR): outcome.leftByStop += failure.notices
      case .outputFailed(let number):
        outcome.outputFailure = CommandError(OutputError(errno: number, descriptor: 1))
        outcome.outputFailure?.message?.append(words)
      default:
        outcome.hasFailed = true
        outcome.lines.append("\(failure.error.message)\(words)")
      }
    }
    return outcome
  }

  private func deliver(
    _ channel: ChannelName, through notifier: any Notifier, isDryRun: Bool = false
  ) throws(ScheduleError) -> (report: DeliveryReport, question: String?) {
    var (zones, held) = (open: [DeliveryZone](), held: [(CivilDateTime, Int)]())
    for (zone, end) in self.zones {
      guard let end else {
        zones.append(zone)
        continue
      }
      var due = [try ZoneDue(through: channel.name, in: zone, of: schedule.reader)]
      // What the user has decided holds also for what is sent later.
      if backlog?.marks == true { _ = try settleBacklog(of: channel, in: &due, isDryRun: isDryRun) }
      let count = due[0].due.rungs.count
      if count > 0 { try schedule.noteHeld(through: channel.name, at: zone.now) }
      held.append((end, count))
    }
    var question: String?
    var (heldAsStale, count) = (0, 0)
    let center = ReminderCenter(schedule: schedule, onEvent: onEvent)
    var report = try center.deliver(
      through: notifier, in: zones,
      onDue: { (due: inout [ZoneDue]) throws(ScheduleError) in
        // What the user has decided holds also for what is held.
        if backlog?.marks == true {
          _ = try settleBacklog(of: channel, in: &due, isDryRun: isDryRun)
        }
        heldAsStale = stale.hold(in: &due)
        question = try settleBacklog(of: channel, in: &due, isDryRun: isDryRun)
        count = due.reduce(0) { $0 + $1.due.rungs.count }
      },
      isStopRequested: { StopSignals.isStopRequested })
    if backlog == .send, !isDryRun, report.delivered < count || !held.isEmpty {
      try orderRest(through: channel)
    }
    report.heldAsStale = heldAsStale
    for (end, count) in held { report.addHeld(count, until: end) }
    return (report, question)
  }

  /// The catalogues in each time zone, and the time until which their notices are held; `nil` for those
  /// that are sent now.
  var zones: [(zone: DeliveryZone, until: CivilDateTime?)] {
    groups.flatMap { clock, now, names in
      let center = ReminderCenter(schedule: schedule, civilTime: clock.civilTime)
      return times.held(names, at: now).flatMap { end, names in
        stale.apart(names).map { (center.zone(at: now, catalogues: $0), end) }
      }
    }
  }

  /// - Throws: `ScheduleError`; or, once every channel had its turn, ``CommandError`` if standard
  ///   output fails.
  /// - Returns: `unavailable` if something was not delivered.
  package func run(_ channels: [ChannelName]) throws -> ExitStatus {
    var status = ExitStatus.done
    var outputFailure: CommandError?
    var leftByStop = 0
    // Where the system cannot, a signal ends the process at once.
    if !channels.isEmpty { try? StopSignals.install() }
    for channel in channels where !StopSignals.isStopRequested {
      let outcome = try deliver(through: channel)
      for line in outcome.lines { console.printError(line) }
      status = status.worse(outcome.status)
      leftByStop += outcome.leftByStop
      outputFailure = outcome.outputFailure ?? outputFailure
    }
    if leftByStop > 0 { console.printError("stopping; \(outcome(of: leftByStop))") }
    if let outputFailure { throw outputFailure }
    return status
  }

  /// Says what would be delivered, and delivers nothing.
  ///
  /// - Parameters:
  ///   - before: the schedule as it was before catalogues were read: notices that are due of a loan that
  ///     it has with the same expiration, and that were not due then, come of other settings.
  ///   - isResult: whether to print it to standard output, rather than standard error.
  package func rehearse(
    _ channels: [ChannelName], before: ScheduleReader? = nil, isResult: Bool = true
  ) throws {
    for channel in channels {
      let isNothingDue: Bool
      if isResult, let rehearsal = notifiers.rehearsal(of: channel, console) {
        let (report, question) = try deliver(channel, through: rehearsal, isDryRun: true)
        if let question { console.printError(question) }
        if report.messages > 0 {
          console.printError(
            """
            would send \(counted(report.messages, "message")) with \
            \(counted(report.delivered, "notice")) through \(channel.name.visible)
            """)
        }
        for line in words(of: report, channel) { console.printError(line) }
        isNothingDue = report == DeliveryReport() && question == nil
      } else {
        isNothingDue = try !listDue(channel, before: before, isResult: isResult)
      }
      let silenced = try groups.reduce(0) { count, group in
        try count
          + schedule.reader.dueRungs(
            at: group.now, channel: channel.name, catalogues: group.names
          ).silenced
      }
      if silenced > 0 {
        console.printError(
          ScheduleEvent.silenced(notices: silenced, channel: channel.name).description)
      }
      if isNothingDue { console.printError("nothing is due through \(channel.name.visible)") }
    }
  }

  /// Lists what would be delivered through a channel.
  ///
  /// - Returns: whether there is anything.
  private func listDue(
    _ channel: ChannelName, before: ScheduleReader?, isResult: Bool
  ) throws -> Bool {
    var (open, closed): ([ZoneDue], [ZoneDue]) = ([], [])
    for (zone, end) in zones {
      let due = try ZoneDue(through: channel.name, in: zone, of: schedule.reader)
      if end == nil { open.append(due) } else { closed.append(due) }
    }
    if backlog?.marks == true {
      // What the user has decided holds also for what is held.
      _ = try settleBacklog(of: channel, in: &closed, isDryRun: true)
      _ = try settleBacklog(of: channel, in: &open, isDryRun: true)
    }
    var report = DeliveryReport()
    report.heldAsStale = stale.hold(in: &open)
    for line in words(of: report, channel) { console.printError(line) }
    let question = try settleBacklog(of: channel, in: &open, isDryRun: true)
    if let question { console.printError(question) }
    var (count, fromSettings) = (report.heldAsStale + (question == nil ? 0 : 1), 0)
    for (_, end) in zones {
      let part = end == nil ? open.removeFirst() : closed.removeFirst()
      let now = part.zone.now
      let known = try before.map { reader throws(ScheduleError) in
        try ZoneDue(through: channel.name, in: part.zone, of: reader)
      }
      let numbers = Set((known?.due.rungs ?? []).map(\.reminderID))
      let due = try schedule.reader.notices(of: part.due.rungs)
      count += due.count
      for notice in due {
        if let before, !numbers.contains(notice.reminderID),
          let old = try before.history(of: notice.reminderID, at: now), old.leftOn == nil,
          !old.isCancelled, old.loan.expiration == notice.notice.loan.expiration
        {
          fromSettings += 1
        }
        let seen = notice.notice.hidingTitles(notifiers.titles(of: channel))
        var values = [
          "channel": channel.name.visible,
          "sentence": seen.line(today: now.date, in: language),
        ]
        values["date"] = end.map { language.dateInSentence($0.date) }
        values["time"] = end?.time.description
        let sentence = language.text(end == nil ? .wouldDeliver : .wouldHold, values)
        if isResult { try console.print(line: sentence) } else { console.printError(sentence) }
      }
    }
    if fromSettings > 0 {
      console.printError(
        """
        \(fromSettings) of these notices through \(channel.name.visible) \
        \(fromSettings == 1 ? "is" : "are") due because the settings have changed
        """)
    }
    return count > 0
  }

  /// The sentences about what stays pending though the channel works.
  private func words(of report: DeliveryReport, _ channel: ChannelName) -> [String] {
    report.heldWords(channel, now: groups.first?.now) + report.undeliveredWords(channel)
  }

  private var language: Language { notifiers.language }

  private func outcome(of notices: Int) -> String {
    if isRepeated { return "its due notices stay pending" }
    let verb = notices == 1 ? "stays" : "stay"
    return "\(counted(notices, "notice")) \(isRemembered ? "\(verb) pending" : "not delivered")"
  }
}
