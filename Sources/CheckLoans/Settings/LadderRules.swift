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
      let options = try given.options(with: rule.over(own))
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
    let names =
      (given.file?.tables ?? []).flatMap { table in
        (table["path"]?.texts ?? []).map { ($0, table["name"]?.texts.first) }
      } + (given.file?.catalogues?.texts ?? []).map { ($0, nil) }
    return rules.indices.compactMap { index in
      let rule = rules[index]
      let place = (rule.first?.place ?? given.file?.path ?? "").visible
      if let empty = SettingsKeys.conditions.first(where: { rule[$0.name]?.texts.isEmpty == true })
      {
        return "\(place): this rule is never used, since its \(empty.name) is an empty list"
      }
      let earlier = rules[..<index].first {
        $0.covers(rule) && ($0.isOfLadder || !rule.isOfLadder)
          && ($0[LadderRule.language] != nil || rule[LadderRule.language] == nil)
      }
      if let earlier {
        return
          "\(place): this rule is never used, since the one at \(earlier.first?.place.visible ?? "its top") "
          + "fits the same loans; move it before that one"
      }
      guard let wanted = rule["catalogue"], given.files.isEmpty,
        !names.contains(where: { isCatalogue($0.0, $0.1, oneOf: wanted.texts) })
      else { return nil }
      return "\(wanted.place.visible): this rule is never used, since no catalogue is "
        + "\(wanted.texts.joined(separator: ", ").quoted(limit: 80)); correct the path or name"
    }
  }
}

extension GivenSettings {
  /// A warning for each ladder that has a day after its own end.
  var daysNeverReached: [String] {
    ([[]] + (file?.tables ?? []) + (file?.rules ?? [])).compactMap { own in
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
    let fields = [("category", LoanField.category), ("type", .type), ("library", .library)]
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
      guard let texts = self[condition.name]?.texts else { return true }
      return other[condition.name].map { Set($0.texts).isSubset(of: texts) } ?? false
    }
  }
}
