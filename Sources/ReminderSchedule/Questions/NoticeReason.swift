public import Loans

/// The reason why a notice about a loan is sent now, or is not.
///
/// The raw values are a stable interface: they are added to, and never change their meaning.
public enum NoticeReason: String, CaseIterable, Sendable {
  /// Its catalogue no longer has the loan: the book was returned.
  case notInCatalogue = "not-in-catalogue"
  /// The user has cancelled its notices, until the next reload.
  case cancelled
  /// Its book is lost, and no rule has notices for that.
  case lost
  /// Its borrower has said that the book is back, and no rule has notices for that.
  case claimedReturned = "claimed-returned"
  /// Its notice would be due, and is silenced.
  case silenced
  /// Its notice would be due, and is held until the hours for delivery begin.
  case quietHours = "quiet-hours"
  /// Its notice would be due, and is held until the library opens.
  case closed
  /// Its expired notice would be due, and is held until a newer file of its catalogue is read.
  case staleCatalogue = "stale-catalogue"
  /// Its notice would be due, and is held until the library's server knows the borrower again.
  case unknownBorrower = "unknown-borrower"
  /// Its notice is due, and is not sent until somebody says what to do with a backlog.
  case backlog
  /// Its notice would be due, and is held since its catalogue was probably moved.
  case movedCatalogue = "moved-catalogue"
  /// Nothing is sent any longer, since it has been expired for too long.
  case expiredUntil = "expired-until"
  /// Its ladder has no notice for it, now or later.
  case noNotice = "no-notice"
  /// Its next notice is still to come.
  case notDue = "not-due"
  /// Its notice was delivered through every channel in use, as far as it was tried.
  case delivered
  /// Sending its notice has failed, and the next run tries again.
  case failed
  /// The borrower has no usable address: none, one that is not valid, or one that was
  /// refused.
  case undeliverable
  /// Its notice is due, and the next run sends it.
  case due
}

extension Standing {
  /// The reason why a notice is sent now, or is not.
  ///
  /// - Parameters:
  ///   - isSilenced: whether the notice is silenced through all channels.
  ///   - now: the library's civil time.
  func reason(isSilenced: Bool, at now: CivilDateTime) -> NoticeReason {
    if leftOn != nil { return .notInCatalogue }
    if isCancelled { return .cancelled }
    if let status = plan.ladder.withheld { return status == .lost ? .lost : .claimedReturned }
    let deliveries = deliveries(of: plan.expiration < now.date ? .expired : .reminder)
    func isDelivered(_ rung: Int) -> Bool {
      deliveries.contains { $0.deliveredRung ?? .min >= rung }
    }
    guard let rung = plan.reached(at: now) else {
      let isTooLate = plan.ladder.limit.map { now.date > plan.fireDate($0).date }
      if isTooLate == true { return .expiredUntil }
      guard let next = plan.next(after: now) else { return .noNotice }
      // It may have been set for later when it was delivered.
      return isDelivered(next.rung) ? .delivered : .notDue
    }
    let open = deliveries.filter { $0.isInUse && $0.deliveredRung ?? .min < rung }
    if isDelivered(rung) && open.isEmpty { return .delivered }
    if isSilenced { return .silenced }
    if isBorrowerUnknown { return .unknownBorrower }
    if open.contains(where: { $0.state == .failed }) { return .failed }
    let isUndeliverable = !open.isEmpty && open.allSatisfy { $0.state == .undeliverable }
    return isUndeliverable ? .undeliverable : .due
  }
}

extension ScheduledLoan {
  /// The rung of the next notice that is sent unless the loan is renewed, and when it fires; `nil` if
  /// there is none to come.
  public func next(after now: CivilDateTime) -> (rung: Int, fireAt: CivilDateTime)? {
    leftOn == nil && !isCancelled ? plan.next(after: now) : nil
  }
}
