#if FAILPOINTS
  internal import Glibc
  internal import Synchronization

  /// A point in the program, named in the code, where a test can stop it.
  ///
  /// The variable `CHECK_LOANS_FAILPOINT` names the point and an action, as `NAME=ACTION` or
  /// `NAME:N=ACTION` for the n-th time that it is passed, from 1 up. The action is `kill`, the end
  /// by SIGKILL, or `stop`, SIGSTOP until somebody sends SIGCONT.
  ///
  /// The variable `CHECK_LOANS_FAILPOINT_TRACE` names a file to which the name of every point is
  /// appended as it is passed, a line each.
  ///
  /// - SeeAlso: `kill(2)`, `signal(7)`.
  public func failpoint(_ name: StaticString) {
    Trace.shared?.note(name.description)
    Armed.shared?.pass(name.description)
  }

  /// The file to which the names of the points are appended.
  private struct Trace: Sendable {
    static let shared = Trace("CHECK_LOANS_FAILPOINT_TRACE")

    private let descriptor: Int32

    private init?(_ variable: String) {
      guard let path = unsafe getenv(variable) else { return nil }
      descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { return nil }
    }

    func note(_ name: String) {
      let line = Array("\(name)\n".utf8)
      _ = unsafe write(descriptor, line, line.count)
    }
  }

  /// The action that the variable asks for.
  private final class Armed: Sendable {
    static let shared = Armed("CHECK_LOANS_FAILPOINT")

    private let name: String
    private let signal: Int32
    private let passesLeft: Mutex<Int>

    private init?(_ variable: String) {
      guard let variable = unsafe getenv(variable) else { return nil }
      let parts = unsafe String(cString: variable).split(separator: "=")
      guard parts.count == 2, let point = parts.first?.split(separator: ":"),
        let name = point.first, ["kill", "stop"].contains(parts[1])
      else { return nil }
      self.name = String(name)
      signal = parts[1] == "kill" ? SIGKILL : SIGSTOP
      passesLeft = Mutex(point.count > 1 ? Int(point[1]) ?? 1 : 1)
    }

    func pass(_ name: String) {
      guard name == self.name else { return }
      let isReached = passesLeft.withLock { left in
        left -= 1
        return left == 0
      }
      if isReached { raise(signal) }
    }
  }
#else
  /// A point in the program, named in the code, where a test build can be stopped; nothing here.
  @inlinable
  public func failpoint(_ name: StaticString) {}
#endif
