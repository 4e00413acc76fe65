public import Loans

/// Prints one line for each notice.
public struct StandardOutputNotifier: Notifier {
  /// `stdout`.
  public let channel = "stdout"

  private static let chunk = 100

  private let output: CheckedOutput

  /// A notifier that prints through `output`, and flushes it after each message.
  public init(output: CheckedOutput) {
    self.output = output
  }

  /// One notice in each message; if there are more than 100, 100 in each, because every message
  /// costs a flush and its sender two commits.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    let size = notices.count > Self.chunk ? Self.chunk : 1
    return stride(from: 0, to: notices.count, by: size).map { start in
      notices[start..<min(start + size, notices.count)]
    }
  }

  /// Prints ``Loans/Notice/line(today:)`` of each notice; returns when the system has taken them.
  ///
  /// - Throws: ``NotifierError`` with the code `outputFailed`.
  public func send(_ message: ArraySlice<Notice>, today: CivilDate) async throws(NotifierError) {
    do throws(OutputError) {
      for notice in message { try output.write(notice.line(today: today) + "\n") }
      try output.flush()
    } catch {
      throw NotifierError(
        .outputFailed(errno: error.errno), channel: channel,
        message: "\(error); what was due stays pending for the next run")
    }
  }
}
