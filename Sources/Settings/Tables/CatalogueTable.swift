import ArgumentParser
import Loans

/// Options that a table of the settings file can set by their names.
package protocol TableSettable: SendableMetatype {
  /// A function that sets an option to a value.
  ///
  /// - Throws: `ValidationError` for a value that makes no sense.
  static func setter(_ name: String, _ texts: [String]) throws -> Setter
}

extension TableSettable {
  package typealias Setter = @Sendable (inout Self) -> Void

  /// A function that sets a property.
  package static func set<Value: Sendable>(
    _ property: any WritableKeyPath<Self, Value> & Sendable, to value: Value
  ) -> Setter { { $0[keyPath: property] = value } }
}

/// A table of the settings file that was read, before it is known what is stronger.
package struct SettingsTable<Options: TableSettable>: Sendable {
  /// The keys that it has, with their places.
  let own: [Setting]
  /// The functions that set its options.
  let setters: [(name: String, set: Options.Setter)]

  /// Sets options as the table says, but those that are overruled.
  func apply(to options: inout Options, unless isOverruled: (String) -> Bool = { _ in false }) {
    for (name, set) in setters where !isOverruled(name) { set(&options) }
  }
}

/// What a table `[[catalogue]]` can have.
package struct TableOptions: TableSettable, Sendable {
  static let facts: [OptionFact] =
    CatalogueOptions.facts.settable(.inTable) + StaleOptions.facts + FetchOptions.facts

  package var catalogue: CatalogueOptions
  /// Its own age up to which its files are believed.
  package var staleAfter: TimeSpan?
  package var fetch = FetchOptions()

  package static func setter(_ name: String, _ texts: [String]) throws -> Setter {
    if FetchOptions.facts[name] != nil {
      let set = try FetchOptions.setter(name, texts)
      return { set(&$0.fetch) }
    }
    if name == "stale-after" { return set(\.staleAfter, to: try texts.last.map(TimeSpan.parse)) }
    let set = try CatalogueOptions.setter(name, texts)
    return { set(&$0.catalogue) }
  }
}

extension CatalogueOptions: TableSettable {
  package static func setter(_ name: String, _ texts: [String]) throws -> Setter {
    switch name {
    case "closed-weekdays":
      return set(\.closed.closedWeekdays, to: try texts.map(GivenWeekdays.parse))
    case "closed-days": return set(\.closed.closedDays, to: try texts.map(GivenDays.parse))
    case "closed-calendars": return set(\.closed.closedCalendars, to: texts)
    case "closed-only": return set(\.closed.closedOnly, to: texts)
    case "closed-open": return set(\.closed.closedOpen, to: try texts.map(GivenDays.parse))
    case "require-expiration": return set(\.records.requireExpiration, to: texts == ["true"])
    case "allow-empty": return set(\.records.allowEmpty, to: texts == ["true"])
    case "profile":
      return set(\.form.profile, to: try NamedProfile.checkedName(texts.last ?? ""))
    case "loan-days": return set(\.form.loanDays, to: try texts.last.map(ProfileOptions.period))
    case "time-zone": return set(\.zone.timeZone, to: texts.last)
    case "jobs": return set(\.jobs.jobs, to: try texts.last.map(JobOptions.range))
    default:
      let set = try LadderOptions.setter(name, texts)
      return { set(&$0.ladder) }
    }
  }
}

extension LadderOptions: TableSettable {
  package static func setter(_ name: String, _ texts: [String]) throws -> Setter {
    switch name {
    case "remind": return set(\.remind, to: try RungDays.list(texts.map(leads), name))
    case "expired": return set(\.expired, to: try RungDays.list(texts.map(delays), name))
    case "at": return set(\.at, to: try CivilTime.parse(texts.last ?? ""))
    case "repeat-expired": return set(\.repeatExpired, to: try texts.last.map(period))
    case "expired-until": return set(\.expiredUntil, to: try texts.last.map(limit))
    default: preconditionFailure("no table has the option \(name)")
    }
  }
}

/// A table `[[catalogue]]` of the settings file.
package struct CatalogueTable: Sendable {
  /// The keys that it has, with their places.
  package let own: [Setting]
  /// What holds for its catalogues.
  package let options: TableOptions

  /// The file, folder or pattern.
  package var path: Setting? { own["path"] }
  /// The name of the library, or of what is fetched.
  package var name: String? { own["name"]?.texts.first }
  /// Whether a program fetches its catalogue.
  package var isFetched: Bool { own["run"] != nil }
}

/// The keys of a table `[[catalogue]]` for a catalogue that a program fetches.
package struct FetchOptions: TableSettable, DescribedOptions, Sendable {
  package static let facts: [OptionFact] = [
    OptionFact("run", .list, .inTable, path: .words), OptionFact("timeout", .number, .inTable),
    OptionFact("every", .text, .inTable), OptionFact("environment", .list, .inTable),
  ]

  /// The program and its arguments.
  package var run: [String] = []
  /// Seconds until it is stopped.
  package var timeout = 60
  /// How long what it printed is kept by `watch` before it is run again.
  package var every = TimeSpan(seconds: 3_600)
  /// The variables that it gets.
  package var environment: [String] = []

  package static func setter(_ name: String, _ texts: [String]) throws -> Setter {
    switch name {
    case "run": set(\.run, to: texts)
    case "timeout": set(\.timeout, to: try number(1...3_600)(texts.last ?? ""))
    case "every": set(\.every, to: try TimeSpan.parse(texts.last ?? ""))
    default: set(\.environment, to: try texts.map(ChannelTable.checkedVariable))
    }
  }
}

extension String {
  /// Whether a catalogue that is not a file can have this name.
  package var isCatalogueName: Bool {
    !isEmpty && self != "-" && !utf8.contains(UInt8(ascii: "/")) && utf8.count <= 200
      && visible == self
  }
}
