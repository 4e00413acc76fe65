public import Notifiers

/// The result of a delivery through one channel.
public struct DeliveryReport: Sendable, Hashable {
  /// A message that could not be sent, or several.
  public struct Failure: Sendable, Hashable {
    /// The reason.
    public var error: NotifierError
    /// The number of notices that stay pending because of it.
    public var notices: Int
  }

  /// The channel's name.
  public let channel: String
  /// The number of notices that were delivered.
  public var delivered = 0
  /// The messages that could not be sent, in the order in which they were tried.
  public var failures: [Failure] = []
  /// The number of notices that stay pending because a stop was requested.
  public var leftByStop = 0

  init(channel: String) {
    self.channel = channel
  }
}
