import ArgumentParser
package import CommandOutput
package import LoanCatalogue
import Loans
import System

/// A profile as somebody has named it.
package struct NamedProfile: Sendable {
  package let profile: CatalogueProfile
  /// The absolute path of its file; `nil` for one that comes with the program.
  package let path: String?

  /// The value that has the profile be detected.
  static let automatic = "auto"

  /// More than anybody writes into one.
  private static let limit = 1_000_000

  /// - Throws: ``CommandError`` with the status `usage` for a name that is not known, `noInput` for a
  ///   file that cannot be read, and `badSetting` for one that makes no sense.
  package init(_ text: String, _ environment: Environment) throws(CommandError) {
    if let profile = BuiltInProfiles.profile(named: text) {
      (self.profile, path) = (profile, nil)
      return
    }
    guard Self.isPath(text) else { throw CommandError(.usage, Self.unknown(text)) }
    path = environment.absolutePath(text)
    profile = try Self.read(text)
  }

  /// Whether a text names a file, not a profile that comes with the program.
  package static func isPath(_ text: String) -> Bool {
    text.contains("/") || text.hasSuffix(".xml")
  }

  /// Reads a name, or the path of a file, which is not opened yet.
  @Sendable static func checkedName(_ text: String) throws -> String {
    guard isPath(text) || text == automatic || BuiltInProfiles.names.contains(text) else {
      throw ValidationError(unknown(text))
    }
    return text
  }

  /// Names and files for a shell to complete.
  static func completions(of word: String) -> [String] {
    let files = FilePattern.files(fitting: "\(word)*.xml")
    return [automatic] + BuiltInProfiles.names + files.filter(\.isCompletable)
  }

  /// The message that no profile has this name.
  package static func unknown(_ name: String) -> String {
    let nearest =
      name.nearest(among: [automatic] + BuiltInProfiles.names).map { "did you mean \($0)? " } ?? ""
    return """
      the profile \(name.quoted()) is unknown; \(nearest)check-loans profiles lists them, and the \
      name of a file ends with .xml or has a / in it
      """
  }

  private static func read(_ path: String) throws(CommandError) -> CatalogueProfile {
    let bytes: [UInt8]
    do throws(WholeFile.Failure) {
      bytes = try WholeFile.bytes(of: path, limit: limit)
    } catch {
      let words = error.words("profile", limit: limit, harm: "decides what is a loan")
      throw CommandError(.noInput, "\(path.visible): \(words)")
    }
    do throws(CatalogueProfile.Fault) {
      return try CatalogueProfile(reading: bytes)
    } catch {
      let place = "\(path.visible):\(error.location.line):\(error.location.column)"
      throw CommandError(.badSetting, "\(place): \(error.message)")
    }
  }
}

extension String {
  /// Whether it is plain enough to be completed: bash runs a command that is written in a completion.
  package var isCompletable: Bool {
    allSatisfy { $0.isLetter || $0.isNumber || "/._-+,@".contains($0) }
  }
}
