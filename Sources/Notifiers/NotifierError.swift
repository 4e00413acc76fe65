/// Why a message was not delivered.
public struct NotifierError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it is.
  public enum Code: Sendable, Hashable {
    /// What the channel needs is not there: a program, a session bus, a notification service.
    case unavailable
    /// The channel works in general, but refused this message.
    case failed
    /// It refused this message for now, as a busy mail server does, and may take others; where it does so
    /// three times in a row, it is left alone for this run.
    case temporary
    /// It will never accept a message for this address.
    case undeliverable
    /// The channel did not answer in time and was stopped.
    case timedOut
    /// The system cannot give the descriptors that are needed.
    case systemLimit
    /// Writing failed with this number of errno(3).
    case outputFailed(errno: Int32)
  }

  /// What kind of failure it is.
  public let code: Code

  /// The notifier's channel.
  public let channel: String

  /// One line that says what failed and what to do; harmless on a terminal.
  public let message: String

  /// The notices of the message that were delivered all the same, by their places in it, from 0.
  public let delivered: [Int]

  /// A failure of this kind in `channel`.
  public init(_ code: Code, channel: String, message: String, delivered: [Int] = []) {
    self.code = code
    self.channel = channel
    self.message = message
    self.delivered = delivered
  }

  /// Whether every further message of this run would fail, or hang, in the same way.
  public var stopsTheRun: Bool { ![.failed, .temporary, .undeliverable].contains(code) }

  /// ``message``, which names the channel itself.
  public var description: String { message }
}
