import Languages
import Loans
import Notifiers
import TestSupport

/// A shell script in place of notify-send, in a directory of its own.
struct FakeNotifySend {
  let folder: ScratchFolder

  /// - Parameter script: shell commands; `$here` is the directory.
  init(_ script: String) throws {
    folder = try ScratchFolder()
    try folder.write(
      program: "#!/bin/sh\nhere='\(folder.path)'\nPATH=/usr/bin:/bin\n\(script)\n",
      to: "notify-send")
  }

  /// One that keeps its arguments for ``calls``.
  static func recording() throws -> FakeNotifySend {
    try FakeNotifySend(#"printf '%s\0' "$#" "$@" >> "$here/calls""#)
  }

  /// The arguments of each call.
  var calls: [[String]] { folder.calls }

  /// A notifier that finds it, with no desktop, and with a PATH of one entry unless there are
  /// actions, which need stdbuf.
  func notifier(
    environment: [String: String] = [:], timeout: Duration = .seconds(60),
    actions: NotificationActions? = nil, in language: Language = .english
  ) -> NotifySendNotifier {
    let path = actions == nil ? folder.path : "\(folder.path):/usr/bin"
    return NotifySendNotifier(
      environment: environment.merging(["PATH": path]) { given, _ in given }, userID: 0,
      timeout: timeout, runtimeDirectories: folder.path, actions: actions, in: language)
  }

  /// The process numbers that the script wrote to the file `pids`, one a line.
  var processes: [Int32] { folder.processes }
}

/// A shell script for an exec channel, in a directory of its own.
struct FakeProgram {
  let folder: ScratchFolder
  let path: String

  /// - Parameter script: shell commands; `$here` is the directory.
  init(_ script: String) throws {
    folder = try ScratchFolder()
    path = "\(folder.path)/tell"
    try folder.write(
      program: "#!/bin/sh\nhere='\(folder.path)'\nPATH=/usr/bin:/bin\n\(script)\n", to: "tell")
  }

  /// One that keeps what it reads for ``documents``.
  static func recording() throws -> FakeProgram {
    try FakeProgram(#"cat >> "$here/documents""#)
  }

  /// A notifier that runs it by its path.
  func notifier(
    environment: [String: String] = [:], timeout: Duration = .seconds(60)
  ) -> ProgramNotifier {
    ProgramNotifier.exec(path, environment: environment, timeout: timeout)
  }

  /// What it was given, a document a line.
  var documents: [String] {
    folder.contents(of: "documents").split(separator: "\n").map(String.init)
  }

  /// The process numbers that the script wrote to the file `pids`, one a line.
  var processes: [Int32] { folder.processes }
}

extension ScratchFolder {
  /// The arguments of each call, whose number and texts are in the file `calls` with NUL after each.
  var calls: [[String]] {
    var rest = contents(of: "calls")
      .split(separator: "\0", omittingEmptySubsequences: false).dropLast()
    var calls: [[String]] = []
    while let count = rest.popFirst().flatMap({ Int($0) }) {
      calls.append(rest.prefix(count).map(String.init))
      rest = rest.dropFirst(count)
    }
    return calls
  }

  /// The process numbers in the file `pids`, one a line.
  var processes: [Int32] {
    contents(of: "pids").split(separator: "\n").compactMap { Int32($0) }
  }
}

extension Notifier {
  /// Sends everything, message by message.
  func sendAll(_ notices: [Notice]) throws(NotifierError) {
    for message in messages(for: notices) { try send(message, in: context) }
  }
}
