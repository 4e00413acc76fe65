import Loans
import Notifiers
import Synchronization
import TestSupport

/// A channel that takes messages, refuses them, breaks down, or sees the run killed.
final class FickleChannel: Notifier {
  /// What every run has of a channel.
  struct Kind: Sendable {
    var name: String
    var noticesPerMessage: Int
    var messagesPerCommit: Int
    /// In how many of a hundred messages it refuses, or breaks down.
    var refusals: Int
    /// Which notices it sends as one.
    var grouping = Grouping.together
  }

  /// What has happened.
  struct Record: Sendable {
    /// What the run was to deliver.
    var offered: [Notice] = []
    /// The addresses of the messages taken, whose taking the run came to know; empty for the library.
    var addresses: [String] = []
    /// The addresses that are refused for ever, in lower case.
    var refused: [String] = []
    /// The messages taken whose taking the run came to know.
    var taken: [ArraySlice<Notice>] = []
    /// The message that was taken when the run was killed.
    var inFlight: ArraySlice<Notice> = []
    var isKilled = false
  }

  private struct State: Sendable {
    var dice: Dice
    var record = Record()
  }

  private let kind: Kind
  private let kill: (@Sendable () throws -> Void)?
  private let state: Mutex<State>

  /// - Parameter kill: keeps everything as a kill now would leave it; `nil` if nobody kills.
  init(_ kind: Kind, dice: Dice, kill: (@Sendable () throws -> Void)?) {
    self.kind = kind
    self.kill = kill
    state = Mutex(State(dice: dice))
  }

  var record: Record { state.withLock { $0.record } }
  var channel: String { kind.name }
  var messagesPerCommit: Int { kind.messagesPerCommit }
  var grouping: Grouping { kind.grouping }
  private var isMail: Bool { kind.grouping != .together }

  /// Whether somebody stops the run now.
  func isStopRequested() -> Bool { happens(2) }

  func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    state.withLock { $0.record.offered += notices }
    if isMail { return [notices[...]] }
    return stride(from: 0, to: notices.count, by: kind.noticesPerMessage).map {
      notices[$0..<min($0 + kind.noticesPerMessage, notices.count)]
    }
  }

  func send(_ message: ArraySlice<Notice>, in context: DeliveryContext) throws(NotifierError) {
    if happens(4) { try die(with: message) }
    if isMail, happens(10), let address = context.address {
      // The library gets them in its place, in this run.
      state.withLock { state in
        state.record.refused.append(address.lowercased())
        state.record.offered.removeAll(where: message.contains)
      }
      throw NotifierError(.undeliverable, channel: channel, message: "no such user")
    }
    if happens(kind.refusals) {
      if isMail { throw NotifierError(.temporary, channel: channel, message: "greylisted") }
      let code = happens(50) ? NotifierError.Code.failed : .timedOut
      throw NotifierError(code, channel: channel, message: "no route")
    }
    state.withLock { state in
      state.record.taken.append(message)
      state.record.addresses.append(context.address?.lowercased() ?? "")
    }
  }

  /// The process is killed before or after the message is taken, and the run learns of neither.
  private func die(with message: ArraySlice<Notice>) throws(NotifierError) {
    guard let kill else { return }
    let isTaken = happens(50)
    state.withLock { state in
      state.record.isKilled = true
      if isTaken { state.record.inFlight = message }
    }
    do { try kill() } catch { preconditionFailure("no copy made: \(error)") }
    // Nothing is sent any more; what the run does of it is not part of the copy.
    throw NotifierError(.timedOut, channel: channel, message: "killed")
  }

  private func happens(_ percent: Int) -> Bool {
    state.withLock { Int.random(in: 0..<100, using: &$0.dice) < percent }
  }
}
