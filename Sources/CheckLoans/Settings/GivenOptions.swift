import ArgumentParser
import LoanRules
import Loans

extension CheckOptions {
  /// What the command line gives; see ``CheckRequest/given``.
  var given: [String: [String]] { request.given }
}

extension CheckRequest {
  /// What the command line gives, by the options' names: the values of each, none for a switch.
  var given: [String: [String]] {
    var given: [String: [String]] = [:]
    if !catalogues.isEmpty { given["catalogues"] = catalogues }
    if !notify.isEmpty { given["notify"] = notify.map(\.name) }
    given["remind"] = remind.map { ["\($0.value)"] }
    given["at"] = at.map { [$0.value.hoursAndMinutes] }
    given["repeat-expired"] = repeatExpired.map { ["\($0.value)"] }
    given["profile"] = profile.map { [$0] }
    given["loan-days"] = loanDays.map { ["\($0.value)"] }
    given["time-zone"] = timeZone.map { [$0] }
    given["now"] = now.map { ["\($0.value)"] }
    given["state"] = state.map { [$0] }
    given["format"] = format.map { [$0.rawValue] }
    given["color"] = color.map { [$0.rawValue] }
    given["fail-on"] = failOn.map { [$0.rawValue] }
    given["jobs"] = jobs.map { ["\($0.value)"] }
    let switches = [
      ("no-state", keepsNoState), ("dry-run", isDryRun), ("all", showsAll), ("quiet", isQuiet),
      ("verbose", isVerbose), ("require-expiration", requiresExpiration),
      ("allow-empty", allowsEmpty),
    ]
    for (name, isOn) in switches where isOn { given[name] = [] }
    return given
  }
}

/// The value of an option that is in force, and where it comes from.
struct SettingInForce {
  /// One text, or those of a list; a switch is `true` or `false`; `nil` for no value.
  var texts: [String]?
  var source: Environment.Source
  /// The flag, the variable, or `FILE:LINE`; `nil` for what nothing sets.
  var place: String?
}

extension Environment {
  /// What is in force of an option, with what the command line gives of it.
  ///
  /// - Throws: ``CommandError`` with the status `badSetting` if its variable makes no sense.
  func inForce(
    _ setting: Setting, given: [String]?
  ) throws(CommandError) -> SettingInForce {
    let name = Setting.variableName(setting.name)
    switch source(of: name, isGiven: given != nil) {
    case .flag:
      let place = setting.name == "catalogues" ? "<catalogues>" : "--\(setting.name)"
      let texts = setting.kind == .toggle ? ["true"] : given
      return SettingInForce(texts: texts, source: .flag, place: place)
    case .variable where setting.name != "catalogues":
      return SettingInForce(
        texts: try texts(ofVariable: name, setting), source: .variable, place: setting.variable)
    case .file, .variable:
      guard let file, let value = file[setting.name] else { break }
      return SettingInForce(
        texts: value.texts, source: .file, place: "\(file.path):\(value.line)")
    case .standard: break
    }
    return SettingInForce(texts: setting.standard.map { [$0] }, source: .standard)
  }

  private func texts(
    ofVariable name: String, _ setting: Setting
  ) throws(CommandError) -> [String] {
    switch setting.kind {
    case .toggle: return [try isOn(false, name) ? "true" : "false"]
    case .list: return try values([CheckedText](), name).map(\.text)
    case .text, .number: break
    }
    guard let text = try value(CheckedText?.none, name)?.text else { return [] }
    guard setting.accepts(text, self) else { throw badSetting(name, text) }
    return [text]
  }
}

/// A text whose sense is looked at elsewhere.
private struct CheckedText: ExpressibleByArgument {
  let text: String

  init?(argument: String) { text = argument }
}
