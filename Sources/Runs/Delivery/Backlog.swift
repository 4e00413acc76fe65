import CommandOutput
package import Loans
package import ReminderSchedule
import ReminderService
import Settings

extension ChannelDelivery {
  /// The most notices of a backlog that a channel sends unasked.
  static let mostBacklog = 50

  /// Sends, marks or holds the backlog of a channel: notices that fell due days before the channel, or
  /// their loans as they are now, were new, so that nobody may expect them.
  ///
  /// - Parameters:
  ///   - due: what is due now, from which is removed what is not sent.
  ///   - isDryRun: whether the schedule is a copy.
  /// - Returns: the sentence that asks what to do, if the backlog is too large and stays pending.
  func settleBacklog(
    of channel: ChannelName, in due: inout [ZoneDue], isDryRun: Bool
  ) throws(ScheduleError) -> String? {
    // A trial reaches no borrower.
    if !isRemembered || channel == .mailRedirect { return nil }
    // What was ordered can still be marked.
    let choice = self.backlog
    let isChosen = { (rung: DueRung) in
      rung.backlog != nil || choice == .mark && rung.isOrdered || choice == .markAll
    }
    let backlog = due.map { $0.due.rungs.filter(isChosen) }
    let count = backlog.reduce(0) { $0 + $1.count }
    if count == 0 { return nil }
    func leaveOut() {
      for index in due.indices { due[index].due.rungs.removeAll(where: isChosen) }
    }
    switch choice {
    case .mark, .markAll:
      for (zone, rungs) in zip(due.map(\.zone), backlog) {
        try schedule.note(
          rungs, as: .delivered, channel: channel.name, at: zone.now, utcOffset: zone.utcOffset)
      }
      let others = choice == .mark ? "; the others \(isDryRun ? "would be" : "are") sent" : ""
      console.printError(
        """
        \(isDryRun ? "would mark" : "marked") \(counted(count, choice == .mark ? "old notice" : "notice")) \
        through \(channel.name.visible) as delivered\(others)
        """)
      leaveOut()
    case nil where count > Self.mostBacklog:
      // That it is asked for is a use of the channel, so that the question stays the same.
      if !isDryRun { try schedule.noteHeld(through: channel.name, at: due[0].zone.now) }
      leaveOut()
      return try question(channel, count, backlog.flatMap(\.self))
    case .send, nil: break
    }
    return nil
  }

  /// Notes that what is left of a backlog is to be sent, so that no later run asks again.
  func orderRest(through channel: ChannelName) throws(ScheduleError) {
    for (zone, _) in zones {
      let due = try ZoneDue(through: channel.name, in: zone, of: schedule.reader).due
      try schedule.note(
        due.rungs.filter { $0.backlog != nil }, as: .sending, channel: channel.name, at: zone.now,
        utcOffset: zone.utcOffset)
    }
  }

  private func question(
    _ channel: ChannelName, _ count: Int, _ rungs: [DueRung]
  ) throws(ScheduleError) -> String {
    let counts = rungs.reduce(into: [:]) { $0[$1.backlog, default: 0] += 1 }
    let reason = BacklogReason.allCases.max { counts[$0] ?? 0 < counts[$1] ?? 0 }
    let example = try schedule.reader.notices(
      of: rungs.filter { $0.backlog == reason }.prefix(1)
    ).first
    let catalogue = example?.notice.catalogue ?? ""
    let words =
      switch reason {
      case .newChannel, nil: "the channel is new"
      case .newCatalogue:
        """
        the catalogue \(catalogue.visibleCatalogue) is new; if it was moved, use check-loans schedule \
        rename-catalogue OLD \(catalogue.shellQuoted.visible)
        """
      case .newLoans:
        """
        the ids, the borrowers, the statuses or the notice days of \(catalogue.visibleCatalogue) have changed
        """
      }
    return """
      \(channel.name.visible): \(counted(count, "notice")) fell due days ago and are not sent, because \
      \(words); run once with --backlog send to send them, or with --backlog mark to mark them as delivered
      """
  }
}

extension Environment {
  /// The numbers of the loans whose due notices no run sends until it is given `--backlog`.
  package func loansInBacklog(
    _ schedule: ScheduleReader, at now: CivilDateTime
  ) throws(ScheduleError) -> Set<Int> {
    try schedule.loansInBacklog(
      at: now, catalogues: delivered(schedule).names, beyond: ChannelDelivery.mostBacklog)
  }

  /// The catalogues of a schedule whose notices are delivered: those that a run with `--notify` has read,
  /// or the settings file lists; and those that somebody has only looked at.
  package func delivered(
    _ schedule: ScheduleReader
  ) throws(ScheduleError) -> (names: [String], lookedAt: [String]) {
    var (names, lookedAt): ([String], [String]) = ([], [])
    let all = try schedule.cataloguesByUse()
    // What the settings list is looked up only where that matters.
    let isListed = all.allSatisfy(\.isDelivered) ? { _ in true } : isListed
    for (name, isDelivered) in all {
      if isDelivered || isListed(name) { names.append(name) } else { lookedAt.append(name) }
    }
    return (names, lookedAt)
  }

  /// The catalogues that a status bar and monitoring look at: all, if none is delivered.
  package func watched(_ schedule: ScheduleReader) throws(ScheduleError) -> [String] {
    let (names, lookedAt) = try delivered(schedule)
    return names.isEmpty ? lookedAt : names
  }
}
