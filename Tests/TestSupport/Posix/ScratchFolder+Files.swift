internal import Glibc

extension ScratchFolder {
  /// Writes any bytes, in the place of what the file held.
  public func write(bytes: [UInt8], to name: String) throws {
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = unsafe open("\(path)/\(name)", flags, 0o600)
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      try check(count > 0, "\(name) not written")
      rest = rest.dropFirst(count)
    }
  }

  /// Makes a named pipe that nobody writes to; mkfifo(3).
  public func makeNamedPipe(_ name: String) throws {
    try check(unsafe mkfifo("\(path)/\(name)", 0o600) == 0, "\(name) not made")
  }

  /// Makes a socket that nobody listens on; mknod(2).
  public func makeSocket(_ name: String) throws {
    try check(unsafe mknod("\(path)/\(name)", S_IFSOCK | 0o600, 0) == 0, "\(name) not made")
  }

  /// Makes a symbolic link to another file of the folder; symlink(2).
  public func makeLink(_ name: String, to target: String) throws {
    try check(unsafe symlink(target, "\(path)/\(name)") == 0, "\(name) not made")
  }

  /// Gives another file of the folder a second name; link(2).
  public func makeHardLink(_ name: String, to target: String) throws {
    try check(unsafe link("\(path)/\(target)", "\(path)/\(name)") == 0, "\(name) not made")
  }

  /// Changes who may do what with a file; chmod(2).
  public func setPermissions(of name: String, _ mode: UInt32) throws {
    try check(unsafe chmod("\(path)/\(name)", mode) == 0, "mode of \(name) not changed")
  }

  /// Cuts a file off, or lengthens it by zero bytes; truncate(2).
  public func setSize(of name: String, _ size: Int) throws {
    try check(unsafe truncate("\(path)/\(name)", size) == 0, "size of \(name) not changed")
  }

  /// Puts a file in another's place; rename(2).
  public func rename(_ name: String, to other: String) throws {
    let result = unsafe Glibc.rename("\(path)/\(name)", "\(path)/\(other)")
    try check(result == 0, "\(name) not renamed")
  }

  private func check(_ isDone: Bool, _ failure: String) throws {
    guard !isDone else { return }
    throw DesktopSession.Failure(description: "\(failure): error \(errno)")
  }
}

/// Whether permissions do not count, since root may do everything; geteuid(2).
public let isRoot = geteuid() == 0
