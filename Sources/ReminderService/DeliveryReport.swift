public import Notifiers

/// What became of the notices that were due through one channel.
public struct DeliveryReport: Sendable, Hashable {
  /// Messages that could not be sent.
  public struct Failure: Sendable, Hashable {
    /// Why.
    public var error: NotifierError
    /// How many notices stay pending because of it.
    public var notices: Int
  }

  /// The channel's name.
  public let channel: String
  /// How many notices were delivered.
  public var delivered = 0
  /// What could not be delivered, in the order in which it was tried.
  public var failures: [Failure] = []
  /// How many notices were left pending because a stop was requested.
  public var leftByStop = 0

  init(channel: String) {
    self.channel = channel
  }
}
