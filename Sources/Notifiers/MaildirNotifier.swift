public import Loans
internal import Mail
internal import System
internal import SystemPackage

/// Puts messages into a Maildir, where mail programs find them: a directory with `cur`, `new` and `tmp`.
///
/// A message has the name of its identifier before the `@`. When it is sent again, it takes the place of
/// the first one, as long as that is in `new`.
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
      try deliver(mail.bytes, as: String(mail.id.description.prefix { $0 != "@" }))
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
    let words = "\(path.visible): \(error.words); correct this, or give another directory"
    return failure(error.isSystemLimit ? .systemLimit : .unavailable, words)
  }

  private func failure(_ code: NotifierError.Code, _ words: String) -> NotifierError {
    NotifierError(
      code, channel: channel, message: "\(channel.visible) cannot be used: \(words)")
  }
}
