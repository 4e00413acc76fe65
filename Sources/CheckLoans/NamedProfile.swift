import LoanCatalogue
import Loans
import System

/// A profile as somebody has named it.
struct NamedProfile: Sendable {
  let profile: CatalogueProfile
  /// The absolute path of its file; `nil` for one that comes with the program.
  let path: String?

  /// What is given where the form is to be found out.
  static let automatic = "auto"

  /// More than anybody writes into one.
  private static let limit = 1_000_000

  /// The profile that a flag, or else the environment or the settings file, names; `nil` if none of
  /// them does.
  ///
  /// - Throws: as ``init(_:_:)``.
  init?(given: String?, _ environment: Environment) throws(CommandError) {
    guard let text = try environment.value(given, "PROFILE"), text != Self.automatic else {
      return nil
    }
    try self.init(text, environment)
  }

  /// - Throws: ``CommandError`` with the status `usage` for a name that is not known, `noInput` for a
  ///   file that cannot be read, and `badSetting` for one that makes no sense.
  init(_ text: String, _ environment: Environment) throws(CommandError) {
    if let profile = BuiltInProfiles.profile(named: text) {
      (self.profile, path) = (profile, nil)
      return
    }
    guard Self.isPath(text) else { throw Self.unknown(text) }
    path = environment.absolutePath(text)
    profile = try Self.read(text)
  }

  /// Whether a text names a file, not a profile that comes with the program.
  static func isPath(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".xml")
  }

  /// That no profile has this name.
  static func unknown(_ name: String) -> CommandError {
    let nearest =
      name.nearest(among: [automatic] + BuiltInProfiles.names).map { "did you mean \($0)? " } ?? ""
    return CommandError(
      .usage,
      """
      the profile \(name.quoted()) is unknown; \(nearest)check-loans profiles lists them, and the \
      name of a file ends with .xml or has a / in it
      """)
  }

  private static func read(_ path: String) throws(CommandError) -> CatalogueProfile {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.bytes(of: path, limit: limit)
    } catch {
      throw CommandError(.noInput, "\(path.visible): \(words(for: error))")
    }
    do throws(CatalogueProfile.Fault) {
      return try CatalogueProfile(reading: bytes)
    } catch {
      let place = "\(path.visible):\(error.location.line):\(error.location.column)"
      throw CommandError(.badSetting, "\(place): \(error.message)")
    }
  }

  private static func words(for failure: WholeFile.Failure) -> String {
    switch failure {
    case .missing: "cannot read the profile: no such file"
    case .system(let error): "cannot read the profile: \(error.words)"
    case .notAFile(let kind): "this is \(kind), not a profile"
    case .tooLong: "the profile is longer than \(limit) bytes"
    case .writableByAll:
      "the profile can be written by anybody, and decides what is a loan; use chmod o-w"
    }
  }
}
