import LoanRules
import Loans
import ReminderService
import System

extension Environment {
  /// The rules of the settings file that can fit loans of a catalogue, in their order.
  ///
  /// - Parameters:
  ///   - name: the catalogue's name in the schedule.
  ///   - library: the name of its library.
  ///   - own: what the catalogue has of its own.
  func rules(
    forCatalogue name: String, library: String?, own: [Setting]
  ) throws(CommandError) -> [LadderRule] {
    var rules: [LadderRule] = []
    for rule in given.file?.rules ?? [] where rule.isOfLadder {
      if let wanted = rule["catalogue"]?.texts, !isCatalogue(name, library, oneOf: wanted) {
        continue
      }
      let options = try given.options(with: rule.over(own)).catalogue
      rules.append(
        LadderRule(rule.conditions(library: library), ladder: options.ladder.ladder))
    }
    return rules
  }

  /// Whether the conditions of a rule hold for a notice.
  func fits(_ rule: [Setting], _ notice: Notice) -> Bool {
    if let wanted = rule["catalogue"]?.texts,
      !isCatalogue(notice.catalogue, notice.library, oneOf: wanted)
    {
      return false
    }
    return LadderRule(rule.conditions(library: notice.library), ladder: .standard).fits(notice.loan)
  }

  /// Whether a catalogue is named by its library, a path or a pattern.
  private func isCatalogue(_ name: String, _ library: String?, oneOf texts: [String]) -> Bool {
    let directory = given.file?.directory ?? ""
    return texts.contains { text in
      text == library || FilePattern.fits(name, catalogueName(absolute(text, in: directory)))
    }
  }

  /// A warning for each rule of the settings file that can fit no loan, since one before it fits all that
  /// it does, or no catalogue is the one that it names.
  var idleRules: [String] {
    let rules = given.file?.rules ?? []
    let tables = given.file?.tables ?? []
    let names =
      tables.flatMap { $0["path"]?.texts ?? [] } + (given.file?.catalogues?.texts ?? [])
    let known = Set(names.map { Array($0.utf8) })
    let libraries = Set(tables.compactMap { $0["name"]?.texts.first })
    let directory = given.file?.directory ?? ""
    func isNamed(_ text: String) -> Bool {
      if libraries.contains(text) { return true }
      let name = catalogueName(absolute(text, in: directory))
      return known.contains(Array(name.utf8))
        || FilePattern.isPattern(name) && names.contains { FilePattern.fits($0, name) }
    }
    var earlierRules = EarlierRules()
    return rules.indices.compactMap { index in
      let rule = rules[index]
      // It is looked up in the file, which takes time.
      var place: String { (rule.first?.place ?? given.file?.path ?? "").visible }
      if let empty = SettingsKeys.conditions.first(where: { rule[$0.name]?.texts.isEmpty == true })
      {
        return "\(place): this rule is never used, since its \(empty.name) is an empty list"
      }
      if let earlier = earlierRules.first(covering: rule, in: rules) {
        return
          "\(place): this rule is never used, since the one at \(earlier.first?.place.visible ?? "its top") "
          + "fits the same loans; move it before that one"
      }
      earlierRules.add(index, rule)
      guard let wanted = rule["catalogue"], given.files.isEmpty,
        !wanted.texts.contains(where: isNamed)
      else { return nil }
      return "\(wanted.place.visible): this rule is never used, since no catalogue is "
        + "\(wanted.texts.joined(separator: ", ").quoted(limit: 80)); correct the path or name"
    }
  }
}

/// Some rules, found by what they ask: comparing each rule with all others would take too long.
private struct EarlierRules {
  /// What a rule says, and a text of each condition: `nil` for none, and empty for any of several.
  fileprivate struct Key: Hashable {
    var isOfLadder: Bool
    var hasLanguage: Bool
    var texts: [String?] = []
  }

  private var indices: [Key: [Int]] = [:]

  /// Adds a rule: under each text of a condition that has several, unless that makes too many.
  mutating func add(_ index: Int, _ rule: [Setting]) {
    var keys = [Key(isOfLadder: rule.isOfLadder, hasLanguage: rule[LadderRule.language] != nil)]
    for condition in SettingsKeys.conditions {
      let texts = Set(rule[condition.name]?.texts ?? [])
      let choices: [String?] =
        texts.isEmpty
        ? [nil] : keys.count > 1 && keys.count * texts.count > 16 ? [""] : Array(texts)
      keys = keys.extended(by: choices)
    }
    for key in keys { indices[key, default: []].append(index) }
  }

  /// The first that fits all loans that another rule fits, and says as much.
  func first(covering rule: [Setting], in rules: [[Setting]]) -> [Setting]? {
    var keys: [Key] = []
    for isOfLadder in rule.isOfLadder ? [true] : [true, false] {
      for hasLanguage in rule[LadderRule.language] != nil ? [true] : [true, false] {
        keys.append(Key(isOfLadder: isOfLadder, hasLanguage: hasLanguage))
      }
    }
    for condition in SettingsKeys.conditions {
      keys = keys.extended(by: rule[condition.name]?.texts.first.map { [nil, $0, ""] } ?? [nil])
    }
    let found = keys.compactMap { key in indices[key]?.first { rules[$0].covers(rule) } }
    return found.min().map { rules[$0] }
  }
}

extension [EarlierRules.Key] {
  /// Each with each of some texts at its end.
  fileprivate func extended(by texts: [String?]) -> [EarlierRules.Key] {
    flatMap { key in
      texts.map { text in
        var key = key
        key.texts.append(text)
        return key
      }
    }
  }
}

extension GivenSettings {
  /// A warning for each ladder that has a day after its own end.
  var daysNeverReached: [String] {
    let tables = [[]] + (file?.tables ?? []) + (file?.rules ?? [])
    guard self["expired-until"] != nil || tables.contains(where: { $0["expired-until"] != nil })
    else { return [] }
    return tables.compactMap { own in
      let values = values(with: own)
      guard let end = values["expired-until"], let last = end.texts.last.flatMap({ Int($0) }),
        let days = values["expired"],
        own.isEmpty || own["expired"] != nil || own["expired-until"] != nil,
        let day = days.texts.flatMap({ $0.split(separator: ",") }).compactMap({ Int($0) }).max(),
        day > last
      else { return nil }
      return """
        \(days.place.visible): the day \(day) of expired is never reached, since expired-until is \
        \(last); correct one of them
        """
    }
  }
}

extension LadderRule {
  /// The key of the language of borrowers, which may stand in a rule beside a ladder, or alone.
  static let language = "borrower-language"
}

extension [Setting] {
  /// What a rule asks of a loan itself.
  ///
  /// - Parameter library: the library of a loan that has none of its own.
  fileprivate func conditions(library: String?) -> [LadderRule.Condition] {
    let fields = [
      ("category", LoanField.category), ("type", .type), ("status", .status),
      ("library", .library),
    ]
    return fields.compactMap { key, field in
      self[key].map { .init(field, $0.texts, standard: field == .library ? library : nil) }
    }
  }

  /// Whether a rule says when notices are sent, or nothing at all.
  fileprivate var isOfLadder: Bool {
    let others = SettingsKeys.conditions.map(\.name) + [LadderRule.language]
    return self[LadderRule.language] == nil || contains { !others.contains($0.name) }
  }

  /// Whether a rule fits every loan that another one fits.
  fileprivate func covers(_ other: [Setting]) -> Bool {
    SettingsKeys.conditions.allSatisfy { condition in
      guard let texts = self[condition.name]?.texts else {
        // Only a rule that names their status fits loans that are lost or claimed returned.
        let statuses = condition.name == "status" ? other["status"]?.texts ?? [] : []
        return statuses.allSatisfy { LoanStatus(rawValue: $0)?.isWithheld != true }
      }
      return other[condition.name].map { Set($0.texts).isSubset(of: texts) } ?? false
    }
  }
}
