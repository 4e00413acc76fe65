import Loans
import Settings
import System

/// How far systemd confines a service; see systemd.exec(5).
enum Confinement {
  /// Not at all: a user's program may need anything. Without new privileges, it could not hand mail
  /// to a mail system that keeps its queue by set-group-ID.
  case none
  /// A user's service.
  ///
  /// What needs a mount namespace of its own (ProtectSystem=, PrivateTmp= and others) is left out: a
  /// user's systemd gets one only where the kernel lets users have user namespaces, and the service
  /// does not start elsewhere.
  case user
  /// The system's service, with all that reminding people can do without.
  case strict
  /// The system's service, with only what does not imply NoNewPrivileges=, for a reason.
  case mounts(because: String)

  /// Where the mail systems of Debian keep their queues and logs, and mailboxes are.
  private static let spools = [
    "/var/spool/postfix/maildrop", "/var/spool/exim4", "/var/log/exim4", "/var/spool/nullmailer",
    "/var/spool/dma", "/var/mail",
  ]

  /// Says in a unit which confinement it is, and why.
  var comment: String {
    switch self {
    case .none, .user: ""
    case .strict: "# Strict: no channel starts a program that may need rights of its own.\n"
    case .mounts(let reason):
      """
      # Confined by mounts alone, since \(reason).
      # Whatever else confines a service also takes the rights of set-user-ID and set-group-ID
      # programs, and local mail systems queue mail by these. Mail through msmtp can be strict.

      """
    }
  }

  /// The lines of the section `[Service]`.
  ///
  /// - Parameter writable: directories that the service of the system writes to, besides its own.
  func lines(writable: [String]) -> String {
    switch self {
    case .none: ""
    case .user:
      """
      NoNewPrivileges=true
      LockPersonality=true
      RestrictRealtime=true
      RestrictSUIDSGID=true
      SystemCallArchitectures=native

      """
    case .strict: Self.mounts(writable) + Self.privileges
    case .mounts:
      """
      \(Self.mounts(writable + Self.spools))\
      # A mail system may go on delivering when the run has ended.
      KillMode=process

      """
    }
  }

  private static func mounts(_ writable: [String]) -> String {
    // One that is not there does no harm.
    let paths = writable.map { TimerUnits.quoted("-\($0)") }.joined(separator: " ")
    return """
      User=\(SystemAccount.name)
      StateDirectory=check-loans
      StateDirectoryMode=0700
      EnvironmentFile=-\(SystemAccount.variables)
      ProtectSystem=strict
      \(paths.isEmpty ? "" : "ReadWritePaths=\(paths)\n")\
      ProtectHome=read-only
      ProtectControlGroups=true
      PrivateTmp=true

      """
  }

  private static let privileges = """
    NoNewPrivileges=true
    CapabilityBoundingSet=
    PrivateDevices=true
    PrivateUsers=true
    ProtectClock=true
    ProtectHostname=true
    ProtectKernelLogs=true
    ProtectKernelModules=true
    ProtectKernelTunables=true
    ProtectProc=invisible
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
    RestrictNamespaces=true
    RestrictRealtime=true
    RestrictSUIDSGID=true
    LockPersonality=true
    MemoryDenyWriteExecute=true
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged @resources
    SystemCallErrorNumber=EPERM

    """
}

extension Confinement {
  /// That of a service which sends notices through channels.
  ///
  /// - Parameters:
  ///   - fetched: the names of the catalogues that programs fetch.
  ///   - mailProgram: the path of the program that takes mail.
  init(
    _ kind: ServiceKind, _ channels: [ChannelName], fetched: [String] = [], mailProgram: String
  ) {
    var reasons = channels.compactMap { channel -> String? in
      switch channel {
      case .stdout, .notifySend, .maildir: nil
      case .mail, .mailRedirect:
        Self.isMSMTP(mailProgram) ? nil : "\(channel.name) goes through \(mailProgram.visible)"
      case .exec, .named: "\(channel.name.visible) starts a program of yours"
      }
    }
    reasons += fetched.map { "a program of yours fetches \($0.visible)" }
    switch (kind, reasons.first) {
    case (.system, let reason?): self = .mounts(because: reason)
    case (.system, nil): self = .strict
    case (_, nil): self = .user
    case (_, _?): self = .none
    }
  }

  /// Whether a program is msmtp, which needs no rights of its own.
  private static func isMSMTP(_ program: String) -> Bool {
    (FileSystem.realPath(of: program) ?? program).hasSuffix("/msmtp")
  }
}
