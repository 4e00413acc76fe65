public import Languages
public import Loans
internal import System
internal import SystemPackage

/// Shows notices on the desktop by running notify-send(1) of libnotify.
public struct NotifySendNotifier: Notifier {
  /// `notify-send`.
  public let channel = "notify-send"

  private static let digestThreshold = 5

  private let environment: [String: String]
  private let timeout: Duration
  private let actions: NotificationActions?
  private let language: Language

  /// A notifier that shows notices in the session of one user.
  ///
  /// Where neither `DBUS_SESSION_BUS_ADDRESS` nor `XDG_RUNTIME_DIR` is set, as under cron, the
  /// user's own session bus below `runtimeDirectories` is used if there is one.
  ///
  /// - Parameters:
  ///   - environment: the variables by which the program is found (`PATH`, absolute entries only)
  ///     and reaches the desktop; others are not passed on.
  ///   - userID: the effective user, geteuid(2).
  ///   - timeout: how long one message may take before the program is stopped.
  ///   - runtimeDirectories: the directory of the users' runtime directories, pam_systemd(8).
  ///   - actions: gives every message, a digest too, a button; only for a process that keeps running.
  public init(
    environment: [String: String], userID: UInt32, timeout: Duration = .seconds(10),
    runtimeDirectories: String = "/run/user", actions: NotificationActions? = nil,
    in language: Language = .english
  ) {
    var variables = environment.passedOn
    // Its complaints can be understood only in English; gettext(3) gives this one precedence.
    variables["LANGUAGE"] = "en"
    let runtimeDirectory = "\(runtimeDirectories)/\(userID)"
    if variables["DBUS_SESSION_BUS_ADDRESS"] == nil, variables["XDG_RUNTIME_DIR"] == nil,
      let bus = try? Stat(ofLink: "\(runtimeDirectory)/bus"), bus.type == .socket,
      bus.userID == UserID(userID)
    {
      variables["XDG_RUNTIME_DIR"] = runtimeDirectory
    }
    self.environment = variables
    self.timeout = timeout
    self.actions = actions
    self.language = language
  }

  /// One notice in each message; if there are more than five, one message of all, a digest.
  public func messages(for notices: [Notice]) -> [ArraySlice<Notice>] {
    if notices.count > Self.digestThreshold { return [notices[...]] }
    return notices.indices.map { notices[$0...$0] }
  }

  /// Runs notify-send once and waits until the notification service has accepted the message; with
  /// a button, until it has given the message an id.
  ///
  /// - Throws: ``NotifierError`` with the code `unavailable`, `failed`, `timedOut` or `systemLimit`.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    guard let content = DesktopMessage(message, today: context.now.date, in: language) else {
      return
    }
    let report: ChildProcess.Report?
    do throws(StartFailure) {
      if let actions {
        report = try actions.show(
          content.arguments, environment, within: timeout, about: message.mostUrgentFirst)
      } else {
        var child = try ChildProcess(channel, content.arguments, environment: environment)
        report = child.untilEnd(within: timeout)
      }
    } catch {
      throw self.error(error)
    }
    guard let report else { return }
    if report.timedOut {
      throw error(
        .timedOut,
        "\(timeout.lateness); restart the desktop's notification service, or use --notify stdout")
    }
    if !report.ending.isSuccess { throw error(report) }
  }
}

// MARK: - Failures

extension NotifySendNotifier {
  /// Parts of what GLib prints without a bus, or with another user's; dbus-launch(1) is its last
  /// resort.
  private static let noBus = [
    "Cannot autolaunch D-Bus", "dbus-launch", "Could not connect", "The connection is closed",
  ]

  /// Parts of what the bus answers if nobody shows notifications.
  private static let noService = ["ServiceUnknown", "StartServiceByName"]

  private func error(_ code: NotifierError.Code, _ words: String) -> NotifierError {
    NotifierError(code, channel: channel, message: "\(channel) \(words)")
  }

  private func error(_ failure: StartFailure) -> NotifierError {
    switch failure {
    case .shortage: error(.systemLimit, failure.words)
    case .other: error(.unavailable, "\(failure.words); use --notify stdout")
    case .missing, .notExecutable, .noInterpreter:
      error(
        .unavailable,
        "was not found in PATH; install it (Debian: apt install libnotify-bin) "
          + "or use --notify stdout")
    }
  }

  private func error(_ report: ChildProcess.Report) -> NotifierError {
    let message: String
    if Self.noBus.contains(where: report.errors.contains) {
      message = "no desktop session bus was reached; log in to a desktop, or use --notify stdout"
    } else if Self.noService.contains(where: report.errors.contains) {
      message = """
        no notification service runs on the desktop session bus; start one, or use --notify stdout
        """
    } else if report.errors.contains("Unknown option --action") {
      message = """
        this notify-send knows no actions; install libnotify 0.8 or later, or leave --action out
        """
    } else {
      return error(.failed, "\(report.failure); if this persists, use --notify stdout")
    }
    return NotifierError(.unavailable, channel: channel, message: message)
  }
}
