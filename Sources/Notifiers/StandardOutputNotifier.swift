public import Languages
public import Loans
public import System

/// Prints one line for each notice.
public struct StandardOutputNotifier: Notifier {
  /// `stdout`.
  public let channel = "stdout"

  /// Many, because a line costs one write(2), and a commit a wait for the disk.
  ///
  /// After a power cut this many are sent again at most, since nobody knows who has seen them.
  public let messagesPerCommit = 10_000

  /// The schedule is locked meanwhile, so nobody may keep it waiting for ever.
  private static let timeout = Duration.seconds(60)

  private let output: CheckedOutput
  private let language: Language

  /// A notifier that prints through `output`, and flushes it after each line.
  public init(output: CheckedOutput, in language: Language = .english) {
    self.output = output
    self.language = language
  }

  /// One notice in each message.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    notices.indices.map { notices[$0...$0] }
  }

  /// Prints ``Loans/Notice/line(for:today:in:)``; returns when the system has accepted it.
  ///
  /// - Throws: ``NotifierError`` with the code `outputFailed`, also if nobody reads for a minute.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    do throws(OutputError) {
      for notice in message {
        let line = notice.line(today: context.now.date, in: language) + "\n"
        try output.write(line.utf8.span)
        try output.flush(timeout: Self.timeout)
      }
    } catch {
      throw NotifierError(
        .outputFailed(errno: error.errno), channel: channel,
        message: "\(error); its due notices stay pending for the next run")
    }
  }
}
