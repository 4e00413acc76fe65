import CommandOutput
package import LoanRules
package import Loans

/// A table `[[rules]]` of the settings file: a ladder or a language for the loans that meet conditions.
package struct RuleTable: Sendable {
  /// The keys that it has, with their places.
  package let own: [Setting]
  /// The days of notices that it sets.
  package let ladder: SettingsTable<LadderOptions>

  /// The key of the language of borrowers, which may stand in a rule beside a ladder, or alone.
  package static let language = "borrower-language"
  /// What a rule can ask of a loan: each is one of some texts.
  package static let conditions = ["category", "type", "status", "catalogue", "library"]
  package static let facts: [OptionFact] =
    conditions.map { OptionFact($0, .list, .line) } + [OptionFact(language, .text, .line)]
    + LadderOptions.facts

  /// The language that it gives borrowers.
  package var language: String? { own[Self.language]?.texts.first }

  /// Whether it says when notices are sent, or nothing at all.
  fileprivate var isOfLadder: Bool {
    own[Self.language] == nil || own.contains { LadderOptions.facts[$0.name] != nil }
  }

  /// The place where the table begins.
  fileprivate var place: String { own.first?.place ?? "its top" }

  /// What it asks of a loan itself.
  ///
  /// - Parameter library: the library of a loan that has none of its own.
  fileprivate func conditions(library: String?) -> [LadderRule.Condition] {
    let fields = [
      ("category", LoanField.category), ("type", .type), ("status", .status),
      ("library", .library),
    ]
    return fields.compactMap { key, field in
      own[key].map { .init(field, $0.texts, standard: field == .library ? library : nil) }
    }
  }

  /// Whether it gives notice days if another one does, and a language too.
  fileprivate func says(asMuchAs other: RuleTable) -> Bool {
    (isOfLadder || !other.isOfLadder) && (language != nil || other.language == nil)
  }

  /// Whether it fits every loan that another one fits.
  fileprivate func covers(_ other: RuleTable) -> Bool {
    Self.conditions.allSatisfy { condition in
      guard let texts = own[condition]?.texts else {
        // Only a rule that names their status fits loans that are lost or claimed returned.
        let statuses = condition == "status" ? other.own["status"]?.texts ?? [] : []
        return statuses.allSatisfy { LoanStatus(rawValue: $0)?.isWithheld != true }
      }
      return other.own[condition].map { Set($0.texts).isSubset(of: texts) } ?? false
    }
  }
}

extension Environment {
  /// The rules of the settings file that can fit loans of a catalogue, in their order.
  ///
  /// - Parameters:
  ///   - name: the catalogue's name in the schedule.
  ///   - library: the name of its library.
  ///   - ladder: what holds for the catalogue without rules.
  package func rules(
    forCatalogue name: String, library: String?, _ ladder: LadderOptions
  ) -> [LadderRule] {
    (given.file?.rules ?? []).compactMap { rule in
      guard rule.isOfLadder, names(rule.own["catalogue"], name, library) else { return nil }
      var ladder = ladder
      rule.ladder.apply(to: &ladder, unless: given.isOverruled)
      return LadderRule(rule.conditions(library: library), ladder: ladder.ladder)
    }
  }

  /// Whether the conditions of a rule hold for a notice.
  package func fits(_ rule: RuleTable, _ notice: Notice) -> Bool {
    names(rule.own["catalogue"], notice.catalogue, notice.library)
      && LadderRule(rule.conditions(library: notice.library), ladder: .standard).fits(notice.loan)
  }

  /// Whether a rule names a catalogue, by its library, a path or a pattern, or none.
  private func names(_ wanted: Setting?, _ name: String, _ library: String?) -> Bool {
    guard let wanted else { return true }
    let directory = given.file?.directory ?? ""
    return wanted.texts.contains { text in
      text == library || FilePattern.fits(name, catalogueName(absolute(text, in: directory)))
    }
  }

  /// The number of rules that are compared with each other, which takes a time that grows as its square.
  private static let mostCompared = 200

  /// A warning for each rule of the settings file that can fit no loan, since one before it fits all that
  /// it does, or no catalogue is the one that it names.
  var unusedRules: [String] {
    let rules = given.file?.rules ?? []
    if rules.isEmpty { return [] }
    let tables = given.tables
    let names = tables.flatMap { $0.path?.texts ?? [] } + (given.file?.listed?.texts ?? [])
    let known = Set(names.map { Array($0.utf8) })
    let libraries = Set(tables.compactMap(\.name))
    let directory = given.file?.directory ?? ""
    func isNamed(_ text: String) -> Bool {
      if libraries.contains(text) { return true }
      let name = catalogueName(absolute(text, in: directory))
      return known.contains(Array(name.utf8))
        || FilePattern.isPattern(name) && names.contains { FilePattern.fits($0, name) }
    }
    return rules.indices.compactMap { index in
      let rule = rules[index]
      let words = "\(rule.place.visible): this rule is never used, since"
      if let empty = RuleTable.conditions.first(where: { rule.own[$0]?.texts.isEmpty == true }) {
        return "\(words) its \(empty) is an empty list"
      }
      let earlierRules = index < Self.mostCompared ? rules[..<index] : []
      if let earlier = earlierRules.first(where: { $0.says(asMuchAs: rule) && $0.covers(rule) }) {
        return "\(words) the one at \(earlier.place.visible) fits the same loans; move it before "
          + "that one"
      }
      guard let wanted = rule.own["catalogue"], given.files.isEmpty,
        !wanted.texts.contains(where: isNamed)
      else { return nil }
      return "\(wanted.place.visible): this rule is never used, since no catalogue is "
        + "\(wanted.texts.joined(separator: ", ").quoted(limit: 80)); correct the path or name"
    }
  }
}

extension GivenSettings {
  /// A warning for each ladder that has a day after its own end.
  var daysNeverReached: [String] {
    let tables = [[]] + tables.map(\.own) + (file?.rules ?? []).map(\.own)
    guard self["expired-until"] != nil || tables.contains(where: { $0["expired-until"] != nil })
    else { return [] }
    return tables.compactMap { own in
      guard let end = setting("expired-until", own: own),
        let last = end.texts.last.flatMap({ Int($0) }), let days = setting("expired", own: own),
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
