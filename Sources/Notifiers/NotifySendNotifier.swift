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
    runtimeDirectories: String = "/run/user", actions: NotificationActions? = nil
  ) {
    self.environment = Self.childEnvironment(
      from: environment, userID: userID, runtimeDirectories: runtimeDirectories)
    self.timeout = timeout
    self.actions = actions
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
  ) async throws(NotifierError) {
    guard let content = DesktopMessage(message, today: context.now.date) else { return }
    let child = ChildProcess(
      channel, content.arguments, environment: environment, timeout: timeout)
    let report: ChildProcess.Report?
    do throws(StartFailure) {
      report =
        if let actions {
          try await actions.show(child, about: message.mostUrgentFirst)
        } else {
          try await child.run()
        }
    } catch {
      throw NotifierError(error)
    }
    guard let report else { return }
    if report.timedOut { throw NotifierError(timeout: timeout) }
    if !report.ending.isSuccess { throw NotifierError(report) }
  }
}

extension NotifySendNotifier {
  private static let passedOn = [
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
  ]

  /// The few variables that the child needs; nothing else, `LD_PRELOAD` for example, reaches it.
  static func childEnvironment(
    from environment: [String: String], userID: UInt32, runtimeDirectories: String
  ) -> [String: String] {
    var child = environment.filter { passedOn.contains($0.key) && !$0.value.isEmpty }
    child["PATH"] = environment["PATH"] ?? ProgramSearch.standardPath
    // Its complaints can be understood only in English; gettext(3) gives this one precedence.
    child["LANGUAGE"] = "en"
    let runtimeDirectory = "\(runtimeDirectories)/\(userID)"
    if child["DBUS_SESSION_BUS_ADDRESS"] == nil, child["XDG_RUNTIME_DIR"] == nil,
      let bus = try? Stat(ofLink: "\(runtimeDirectory)/bus"), bus.type == .socket,
      bus.userID == UserID(userID)
    {
      child["XDG_RUNTIME_DIR"] = runtimeDirectory
    }
    return child
  }
}

extension NotifierError {
  /// Parts of what GLib prints without a bus, or with another user's; dbus-launch(1) is its last
  /// resort.
  private static let noBus = [
    "Cannot autolaunch D-Bus", "dbus-launch", "Could not connect", "The connection is closed",
  ]

  /// Parts of what the bus answers if nobody shows notifications.
  private static let noService = ["ServiceUnknown", "StartServiceByName"]

  private init(notifySend code: Code, _ message: String) {
    self.init(code, channel: "notify-send", message: message)
  }

  fileprivate init(_ failure: StartFailure) {
    switch failure {
    case .shortage: self.init(notifySend: .systemLimit, "notify-send \(failure.words)")
    case .notFound:
      self.init(
        notifySend: .unavailable,
        "notify-send was not found in PATH; install it (Debian: apt install libnotify-bin) "
          + "or use --notify stdout")
    case .other:
      self.init(notifySend: .unavailable, "notify-send \(failure.words); use --notify stdout")
    }
  }

  fileprivate init(timeout: Duration) {
    self.init(
      notifySend: .timedOut,
      "notify-send did not finish within \(timeout.words) and was stopped; "
        + "restart the desktop's notification service, or use --notify stdout")
  }

  fileprivate init(_ report: ChildProcess.Report) {
    let complaint = report.errors
    if Self.noBus.contains(where: complaint.contains) {
      self.init(
        notifySend: .unavailable,
        "no desktop session bus was reached; log in to a desktop, or use --notify stdout")
    } else if Self.noService.contains(where: complaint.contains) {
      self.init(
        notifySend: .unavailable,
        "no notification service runs on the desktop session bus; start one, "
          + "or use --notify stdout")
    } else if complaint.contains("Unknown option --action") {
      self.init(
        notifySend: .unavailable,
        "this notify-send knows no actions; install libnotify 0.8 or later, or leave --action out")
    } else {
      self.init(
        notifySend: .failed,
        "notify-send \(report.failure); if this persists, use --notify stdout")
    }
  }
}
