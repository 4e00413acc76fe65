import Loans
import Notifiers
import Synchronization

/// Takes every message but those about some titles, and remembers what it took.
final class Recorder: Notifier {
  let channel: String
  let messagesPerCommit: Int
  let needsOpenCount = true
  private let failures: [String: NotifierError.Code]
  private let beforeEach: @Sendable () -> Void
  private let recorded = Mutex<[Notice]>([])
  private let openCounts = Mutex<Set<Int>>([])

  init(
    _ channel: String = "recorder", messagesPerCommit: Int = 1,
    failures: [String: NotifierError.Code] = [:], beforeEach: @escaping @Sendable () -> Void = {}
  ) {
    self.channel = channel
    self.messagesPerCommit = messagesPerCommit
    self.failures = failures
    self.beforeEach = beforeEach
  }

  /// The notices taken so far.
  var notices: [Notice] { recorded.withLock { $0 } }

  /// Their titles.
  var titles: [String] { notices.compactMap(\.loan.title) }

  /// The open counts that messages were sent with.
  var counts: Set<Int> { openCounts.withLock { $0 } }

  func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    notices.indices.map { notices[$0...$0] }
  }

  func send(_ message: ArraySlice<Notice>, in context: DeliveryContext) throws(NotifierError) {
    beforeEach()
    openCounts.withLock { _ = $0.insert(context.openCount) }
    for notice in message {
      if let code = failures[notice.loan.title ?? ""] {
        throw NotifierError(code, channel: channel, message: "it is broken")
      }
      recorded.withLock { $0.append(notice) }
    }
  }
}
