public import Loans
internal import Mail
internal import System
internal import SystemPackage

/// Puts messages into a Maildir, where mail programs find them: a directory with `cur`, `new` and `tmp`.
///
/// A message that is sent again takes the place of the first one, as long as that is in `new`.
public struct MaildirNotifier: MailingNotifier {
  /// `maildir:` and the directory.
  public var channel: String { "maildir:\(directory)" }

  /// Some, because a message costs a wait for the disk as a commit does.
  public let messagesPerCommit = 100

  private let directory: String
  /// What messages consist of, and who gets them.
  public let settings: MailSettings

  /// A notifier for a directory, which is made if it is not there.
  ///
  /// Messages are redirected to nobody, since none is sent to anybody.
  public init(directory: String, settings: MailSettings) {
    self.directory = directory
    var settings = settings
    settings.redirect = nil
    self.settings = settings
  }

  /// Writes the message and returns once it would outlast a power cut.
  ///
  /// - Throws: ``NotifierError`` with the code `unavailable`, `failed` or `systemLimit`.
  public func send(
    _ message: ArraySlice<Notice>, in context: DeliveryContext
  ) throws(NotifierError) {
    if message.isEmpty { return }
    let mail = try mail(about: message, in: context)
    try makeDirectories()
    do throws(Errno) {
      try deliver(mail.bytes, as: mail.id.fileName)
    } catch {
      throw failure(error, directory)
    }
  }

  private func makeDirectories() throws(NotifierError) {
    for name in ["cur", "new", "tmp"] {
      let path = "\(directory)/\(name)"
      if let (place, error) = FileSystem.makeDirectories(FilePath(path)) {
        throw failure(error, place)
      }
      // A link could lead the messages to where others read them.
      if (try? Stat(ofLink: path))?.type != .directory {
        throw failure(.unavailable, "\(path.visible) is not a directory; give another place")
      }
    }
  }

  private func deliver(_ bytes: [UInt8], as name: String) throws(Errno) {
    let (temporary, new) = ("\(directory)/tmp/\(name)", "\(directory)/new")
    // What a run left that was killed.
    try? FileSystem.remove(temporary)
    let file = try OpenFile(
      temporary, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    try file.write(bytes)
    try file.sync()
    try FileSystem.rename(temporary, to: "\(new)/\(name)")
    try OpenFile(new, options: .directory).sync()
  }

  private func failure(_ error: Errno, _ path: String) -> NotifierError {
    failure(
      error.isSystemLimit ? .systemLimit : .unavailable,
      "\(path.visible): \(error.words); correct this, or give another directory")
  }

  private func failure(_ code: NotifierError.Code, _ words: String) -> NotifierError {
    NotifierError(
      code, channel: channel, message: "\(channel.visible) cannot be used: \(words)")
  }
}

extension MessageID {
  /// The identifier as the name of a file, without what a Maildir gives a meaning, or a name has no
  /// room for.
  fileprivate var fileName: String {
    let bytes = description.utf8.prefix(200).map { byte in
      let isPlain =
        switch byte {
        case 0x30...0x39, 0x40...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
      return isPlain ? byte : UInt8(ascii: "_")
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
