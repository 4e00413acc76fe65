public import Loans
extension Schedule {
  public func due(at now: CivilDateTime, channel: String, catalogues: [String]? = nil, repeatExpired: Int?) throws(ScheduleError) -> [DueNotice] {
    try due(at: now, channel: channel, catalogues: catalogues)
  }
  public func openCount(at now: CivilDateTime, catalogues: [String]?) throws(ScheduleError) -> (reminders: Int, expired: Int) { (0, 0) }
  public func daysSetBack(at now: CivilDateTime) throws(ScheduleError) -> Int? { nil }
  public func beginSending(_ messages: [[DueNotice]], channel: String, at now: CivilDateTime) throws(ScheduleError) -> Sending {
    try markSending(messages.flatMap { $0 }, channel: channel, at: now)
    return Sending(self, messages, channel, now)
  }
}
public final class Sending {
  let schedule: Schedule, messages: [[DueNotice]], channel: String, now: CivilDateTime
  var sent = 0
  init(_ s: Schedule, _ m: [[DueNotice]], _ c: String, _ n: CivilDateTime) { schedule = s; messages = m; channel = c; now = n }
  public func noteSent() throws(ScheduleError) { sent += 1 }
  public func finish() throws(ScheduleError) {
    try schedule.markDelivered(messages[..<sent].flatMap { $0 }, channel: channel, at: now)
  }
  public func fail(error: String) throws(ScheduleError) {
    try finish()
    try schedule.markFailed(messages[sent], channel: channel, at: now, error: error)
  }
}
extension Schedule {
  public convenience init() throws(ScheduleError) { try self.init(rehearsing: "/dev/null/none") }
}
public struct LoanHistory: Sendable, Hashable {
  public struct Notices: Sendable, Hashable {
    public var expiration: CivilDate
    public var kind: Notice.Kind
    public var deliveries: [Delivery]
    public init(expiration: CivilDate, kind: Notice.Kind, deliveries: [Delivery]) { self.expiration = expiration; self.kind = kind; self.deliveries = deliveries }
  }
  public var id: Int
  public var catalogue: String
  public var loan: Loan
  public var fireAt: CivilDateTime
  public var isCancelled: Bool
  public var leftOn: CivilDate?
  public var notices: [Notices]
}
extension ScheduleReader {
  public func history(of id: Int, at now: CivilDateTime) throws(ScheduleError) -> LoanHistory? { nil }
}
extension ScheduleReader {
  public func openCount(at now: CivilDateTime, catalogues: [String]?) throws(ScheduleError) -> (reminders: Int, expired: Int) { (0, 0) }
  public func openNotices(at now: CivilDateTime, limit: Int) throws(ScheduleError) -> [Notice] { [] }
}
