import Loans
import Mail
import Notifiers
import TestSupport

extension MailSettings {
  /// From the library, in plain text, with the desk for what has no address.
  static func sample(_ change: (inout MailSettings) throws -> Void = { _ in }) throws
    -> MailSettings
  {
    var settings = MailSettings(from: try Mailbox("Városi Könyvtár <library@example.org>"))
    settings.fallback = try Mailbox("Desk <desk@example.org>")
    settings.format = .text
    try change(&settings)
    return settings
  }
}

/// The morning of the tests, for a message to this address.
func mailContext(_ address: String? = "anna@example.org") -> DeliveryContext {
  DeliveryContext(now: context.now, utcOffset: 3_600, openCount: 12, address: address)
}

/// A shell script in place of sendmail, in a directory of its own.
struct FakeSendmail {
  let program: FakeProgram

  /// - Parameter script: shell commands; `$here` is the directory.
  init(_ script: String) throws { program = try FakeProgram(script) }

  /// One that keeps its arguments and what it reads.
  static func recording() throws -> FakeSendmail {
    try FakeSendmail(#"printf '%s\n' "$@" >> "$here/arguments"; cat >> "$here/messages""#)
  }

  var folder: ScratchFolder { program.folder }
  /// The arguments of all calls.
  var arguments: [String] {
    folder.contents(of: "arguments").split(separator: "\n").map(String.init)
  }
  /// All messages.
  var messages: String { folder.contents(of: "messages") }

  /// A notifier that runs it by its path.
  func notifier(
    _ settings: MailSettings? = nil, arguments: [String] = [], bounce: String? = nil,
    timeout: Duration = .seconds(60)
  ) throws -> MailNotifier {
    MailNotifier(
      settings: try settings ?? .sample(), program: [program.path] + arguments,
      bounce: try bounce.map { try EmailAddress($0) }, environment: [:], timeout: timeout)
  }
}

extension String {
  /// The text behind quoted-printable, of a message in plain text.
  var decodedMessage: String {
    var bytes: [UInt8] = []
    var rest = replacing("=\n", with: "").utf8[...]
    while let byte = rest.popFirst() {
      let code =
        byte == UInt8(ascii: "=") ? UInt8(String(Substring(rest.prefix(2))), radix: 16) : nil
      if code != nil { rest = rest.dropFirst(2) }
      bytes.append(code ?? byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
