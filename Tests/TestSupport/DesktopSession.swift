internal import Glibc

/// A private D-Bus session bus, with a notification service or without, for tests of the real
/// notify-send(1).
///
/// The bus knows no service files, so that nothing installed on the machine is started behind the
/// test's back. It ends, with everything that the session started, when the value goes away. Needs
/// the Debian packages dbus-daemon, libglib2.0-bin, libnotify-bin and python3-dbusmock.
public final class DesktopSession: Sendable {
  /// Who answers on the bus.
  public enum Service: Sendable, Hashable {
    /// Nobody.
    case none
    /// python-dbusmock, which accepts and records every notification.
    case recording
    /// A service that owns the name but never answers.
    case hanging
    /// A service that answers every notification with this D-Bus error.
    case failing(error: String, message: String)
  }

  /// One call of Notify, as it came over the bus; see the Desktop Notifications Specification.
  public struct Notification: Sendable, Hashable {
    /// The application's name.
    public var appName: String
    /// The notification that it replaces, or 0.
    public var replacesID: Int
    /// The icon's name or path.
    public var icon: String
    /// One line, without markup.
    public var summary: String
    /// Text that may hold markup.
    public var body: String
    /// Alternately the actions' keys and words.
    public var actions: [String]
    /// 0 low, 1 normal, 2 critical.
    public var urgency: Int?
    /// The notification's class, such as `email.arrived`.
    public var category: String?
    /// Milliseconds; -1 leaves it to the service.
    public var timeout: Int

    /// A call with the summary and body, everything else as an unadorned notify-send has it.
    public init(
      appName: String = "notify-send", summary: String, body: String = "", urgency: Int? = 1,
      category: String? = nil
    ) {
      self.appName = appName
      replacesID = 0
      icon = ""
      self.summary = summary
      self.body = body
      actions = []
      self.urgency = urgency
      self.category = category
      timeout = -1
    }
  }

  /// Why a session cannot be used.
  public struct Failure: Error, CustomStringConvertible {
    /// What failed, with the output of the program concerned.
    public let description: String
  }

  /// Whether the programs that it needs are installed.
  public static let isAvailable = [
    "/usr/bin/dbus-daemon", "/usr/bin/gdbus", "/usr/bin/notify-send", "/usr/bin/python3",
    "/usr/lib/python3/dist-packages/dbusmock",
  ].allSatisfy { (path: String) in unsafe access(path, F_OK) == 0 }

  /// A directory that has the user's runtime directory, named by user id, with the bus in it: what
  /// `/run/user` is on a desktop.
  public let runtimeDirectories: String

  /// The variables that lead a program to the bus, and PATH; to be used instead of the test's own.
  public let environment: [String: String]

  private let folder: ScratchFolder
  private let children: [Child]

  /// Starts a bus, and waits until its service answers.
  ///
  /// - Throws: ``Failure``.
  public init(_ service: Service) async throws {
    let folder = try ScratchFolder()
    let runtimeDirectory = "\(folder.path)/\(geteuid())"
    try folder.makeDirectory("\(geteuid())")
    let environment = [
      "PATH": "/usr/bin:/bin", "HOME": folder.path,
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(runtimeDirectory)/bus",
    ]
    let session = Launcher(folder: folder, environment: environment)
    var children = [try await session.startBus(at: "\(runtimeDirectory)/bus")]
    if service != .none { children.append(try await session.startService(service)) }
    self.folder = folder
    self.environment = environment
    self.children = children
    runtimeDirectories = folder.path
  }

  /// What the service was told so far, in order; only a recording service can be asked.
  ///
  /// - Throws: ``Failure``.
  public func notifications() async throws -> [Notification] {
    let launcher = Launcher(folder: folder, environment: environment)
    let fields = try await launcher.output(of: ["/usr/bin/python3", "-c", Self.reader])
      .split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
    var rest = fields.dropLast()[...]
    var calls: [Notification] = []
    while !rest.isEmpty { calls.append(try Notification(takingFrom: &rest)) }
    return calls
  }

  /// The instants at which the service was told of notifications, in seconds since 1970; only a
  /// recording service writes them down.
  public var instants: [Double] {
    folder.contents(of: "service.out").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count > 1 && words[1] == "Notify" ? Double(words[0]) : nil
    }
  }

  /// Presses a button of a notification, and then closes it, as a desktop does.
  ///
  /// - Parameters:
  ///   - number: 1 is the first notification that the service was told.
  ///   - action: the action's key.
  /// - Throws: ``Failure``.
  public func press(_ action: String, ofNotification number: Int) async throws {
    try await emit("ActionInvoked", "us", "[<uint32 \(number)>, <'\(action)'>]")
    try await close(notification: number)
  }

  /// Closes a notification as its reader does.
  ///
  /// - Throws: ``Failure``.
  public func close(notification number: Int) async throws {
    try await emit("NotificationClosed", "uu", "[<uint32 \(number)>, <uint32 2>]")
  }

  private func emit(_ signal: String, _ signature: String, _ values: String) async throws {
    let name = "org.freedesktop.Notifications"
    _ = try await Launcher(folder: folder, environment: environment).output(of: [
      "/usr/bin/gdbus", "call", "--session", "--dest", name, "--object-path",
      "/org/freedesktop/Notifications", "--method", "org.freedesktop.DBus.Mock.EmitSignal", name,
      signal, signature, values,
    ])
  }

  /// Prints the fields of every call, each ended by NUL, which no D-Bus string can hold.
  private static let reader = """
    import dbus, sys
    mock = dbus.Interface(
        dbus.SessionBus().get_object(
            "org.freedesktop.Notifications", "/org/freedesktop/Notifications"),
        "org.freedesktop.DBus.Mock")
    for _, call in mock.GetMethodCalls("Notify"):
        app, replaces, icon, summary, body, actions, hints, timeout = call
        fields = [app, replaces, icon, summary, body, len(actions), *actions]
        urgency = hints.get("urgency")
        fields += ["" if urgency is None else int(urgency), hints.get("category", ""), timeout]
        for field in fields:
            sys.stdout.buffer.write(str(field).encode() + b"\\0")
    """
}

extension DesktopSession.Notification {
  fileprivate init(takingFrom fields: inout ArraySlice<String>) throws {
    func next() throws -> String {
      guard let field = fields.popFirst() else {
        throw DesktopSession.Failure(description: "a recorded call is incomplete")
      }
      return field
    }
    func nextNumber() throws -> Int {
      let field = try next()
      guard let number = Int(field) else {
        throw DesktopSession.Failure(description: "\(field) is not a number")
      }
      return number
    }
    appName = try next()
    replacesID = try nextNumber()
    icon = try next()
    summary = try next()
    body = try next()
    actions = try (0..<nextNumber()).map { _ in try next() }
    urgency = Int(try next())
    let category = try next()
    self.category = category.isEmpty ? nil : category
    timeout = try nextNumber()
  }
}

/// Starts the programs of a session.
private struct Launcher {
  let folder: ScratchFolder
  let environment: [String: String]

  func startBus(at path: String) async throws -> Child {
    try folder.write(
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(path)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
        </policy>
      </busconfig>
      """, to: "bus.conf")
    let bus = try start(
      [
        "/usr/bin/dbus-daemon", "--nofork", "--print-address",
        "--config-file=\(folder.path)/bus.conf",
      ], output: "bus.out")
    // The address is printed once the bus listens.
    for _ in 0..<3_000 where folder.contents(of: "bus.out").isEmpty {
      try bus.requireRunning(log: folder.contents(of: "bus.out.log"))
      try await Task.sleep(for: .milliseconds(10))
    }
    return bus
  }

  func startService(_ service: DesktopSession.Service) async throws -> Child {
    let mock = try start(
      [
        "/usr/bin/python3", "-m", "dbusmock", "--session", "--template", "notification_daemon",
        "--parameters", #"{"capabilities": "body body-markup actions"}"#,
      ], output: "service.out")
    let name = "org.freedesktop.Notifications"
    _ = try await output(of: ["/usr/bin/gdbus", "wait", "--session", "--timeout", "60", name])
    switch service {
    case .none, .recording: break
    case .hanging: kill(mock.identifier, SIGSTOP)
    case .failing(let error, let message):
      _ = try await output(of: [
        "/usr/bin/gdbus", "call", "--session", "--dest", name, "--object-path",
        "/org/freedesktop/Notifications", "--method", "org.freedesktop.DBus.Mock.AddMethod",
        name, "Notify", "susssasa{sv}i", "u",
        "raise dbus.exceptions.DBusException('\(message)', name='\(error)')",
      ])
    }
    return mock
  }

  /// Runs a program to its end, and returns what it wrote to standard output.
  func output(of arguments: [String]) async throws -> String {
    let file = "output-\(UInt64.random(in: 0...(.max)))"
    let child = try start(arguments, output: file)
    let status = try await child.status()
    guard status == 0 else {
      let log = folder.contents(of: "\(file).log")
      throw DesktopSession.Failure(description: "\(arguments): status \(status): \(log)")
    }
    return folder.contents(of: file)
  }

  private func start(_ arguments: [String], output: String) throws -> Child {
    try Child(
      arguments, environment: environment, output: "\(folder.path)/\(output)",
      errors: "\(folder.path)/\(output).log")
  }
}

/// A directory for one test's files, removed with all that is in it when the value goes away.
public final class ScratchFolder: Sendable {
  /// Absolute, and short enough for a socket in it.
  public let path: String

  /// Makes a new directory below `/tmp`, mkdtemp(3).
  public init() throws {
    var template = Array("/tmp/check-loans-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else {
      throw DesktopSession.Failure(description: "no scratch directory: error \(errno)")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // Nothing to do about a failure: the test's result stands, and /tmp is cleaned anyway.
    _ = try? Child(["/bin/rm", "-rf", path], output: "/dev/null", errors: "/dev/null").waitForEnd()
  }

  /// Writes a file that only this user can read and write.
  public func write(_ text: String, to name: String) throws {
    let descriptor = unsafe open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else {
      throw DesktopSession.Failure(description: "\(name) not written: error \(errno)")
    }
  }

  /// Writes a program that only this user can run.
  ///
  /// Another process makes the file: one that this process has ever had open for writing could
  /// for a moment be open in a child that a parallel test starts, and could then not be executed
  /// ("Text file busy").
  public func write(program text: String, to name: String) throws {
    try write(text, to: "\(name).text")
    let install = ["/usr/bin/install", "-m", "0700", "\(path)/\(name).text", "\(path)/\(name)"]
    let errors = "\(path)/\(name).log"
    guard try Child(install, output: "/dev/null", errors: errors).waitForEnd() == 0 else {
      throw DesktopSession.Failure(description: contents(of: "\(name).log"))
    }
  }

  /// Makes a directory that nobody else may enter; mkdir(2).
  public func makeDirectory(_ name: String) throws {
    guard unsafe mkdir("\(path)/\(name)", 0o700) == 0 else {
      throw DesktopSession.Failure(description: "\(name) not made: error \(errno)")
    }
  }

  /// What a file holds; nothing if it does not exist.
  public func contents(of name: String) -> String {
    let descriptor = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe read(descriptor, &chunk, chunk.count), count > 0 {
      bytes += chunk[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether there is a file or directory of this name.
  public func contains(_ name: String) -> Bool {
    unsafe access("\(path)/\(name)", F_OK) == 0
  }
}

/// A child process, killed when the value goes away.
private final class Child: Sendable {
  let identifier: pid_t

  /// Starts a program with standard input from nowhere; posix_spawn(3).
  init(
    _ arguments: [String], environment: [String: String] = [:], output: String, errors: String
  ) throws {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    let flags = O_WRONLY | O_CREAT | O_APPEND
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
    let argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    let envp = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (argv + envp).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let error = unsafe posix_spawn(&identifier, arguments[0], &actions, nil, argv, envp)
    guard error == 0 else {
      throw DesktopSession.Failure(description: "\(arguments[0]) not started: error \(error)")
    }
    self.identifier = identifier
  }

  deinit {
    if !hasEnded { kill(identifier, SIGKILL) }
    while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
  }

  /// Whether it has ended.
  ///
  /// It is not reaped, so that its number stays its own; waitid(2).
  private var hasEnded: Bool {
    var information = unsafe siginfo_t()
    let result = unsafe waitid(
      P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return unsafe result != 0 || information.si_signo != 0
  }

  /// Blocks until it has ended, and returns its exit status, or -1 if a signal ended it.
  @discardableResult
  func waitForEnd() -> Int32 {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0,
      errno == EINTR
    {}
    return unsafe information.si_code == CLD_EXITED ? information._sifields._sigchld.si_status : -1
  }

  /// Its exit status once it has ended, or -1 if a signal ended it.
  func status() async throws -> Int32 {
    while !hasEnded { try await Task.sleep(for: .milliseconds(5)) }
    return waitForEnd()
  }

  func requireRunning(log: String) throws {
    if hasEnded { throw DesktopSession.Failure(description: "a program ended early: \(log)") }
  }
}
