import CommandOutput
import LoanRules
import Loans
import ReminderSchedule
import ReminderService
import Reports
import Settings
import System
import SystemPackage

/// A catalogue with what holds for it.
struct CatalogueToRead {
  private(set) var source: CatalogueSource
  var settings: ReloadSettings
  /// Its days of notices without rules.
  fileprivate let ladder: LadderOptions
  /// The closed days of its library, which become one of the settings once a run has read them.
  let closed: ClosedDaySetting
  /// The library's clock.
  var clock: LocalClock
  /// The current time in the library's zone.
  let now: CivilDateTime
  /// The absolute path of its profile's file, if it has one.
  let profileFile: String?
  /// Why it cannot be read, where that is known already.
  fileprivate(set) var fault: CommandError?
  /// What fetches it, if a program does.
  fileprivate(set) var fetch: CatalogueFetch?
  /// What was fetched, which need not have a name.
  fileprivate var fetched: OpenFile?

  /// The path as it was given, or the name of what is fetched.
  var path: String { fetch?.name ?? source.path }

  /// What a report says of it.
  var reported: ReportedCatalogue {
    ReportedCatalogue(path: path, library: source.library, now: now)
  }

  /// The path of its file.
  var file: String { source.path }

  /// What `schedule forget` knows it by.
  var forgettable: String { path == "-" ? source.name : path }

  /// The same for another file.
  fileprivate func at(_ path: String, _ environment: Environment) -> CatalogueToRead {
    var catalogue = self
    // A catalogue on standard input can have the same name.
    if path == "-" { catalogue.fetch = nil }
    catalogue.source.path = catalogue.fetch?.file ?? path
    catalogue.source.name = catalogue.fetch?.name ?? environment.catalogueName(path)
    catalogue.settings.policy.rules = environment.rules(
      forCatalogue: catalogue.source.name, library: source.library, ladder)
    return catalogue
  }

  /// Has its program fetch it, where one does; see ``CatalogueFetch/fetch(keeps:)``.
  mutating func fetch(keeps: Bool) {
    guard let fetch, fault == nil else { return }
    do throws(CommandError) {
      let file = try fetch.fetch(keeps: keeps)
      (fetched, source.path) = (file, file.pathOfDescriptor)
    } catch { fault = error }
  }
}

/// The names of catalogues for which it is the same time.
typealias ZoneGroup = (clock: LocalClock, now: CivilDateTime, names: [String])

extension [ZoneGroup] {
  /// Adds a catalogue to the group of its time zone.
  fileprivate mutating func add(_ name: String, _ clock: LocalClock, _ now: CivilDateTime) {
    let index = firstIndex { $0.clock.variable == clock.variable } ?? endIndex
    if index == endIndex { append((clock, now, [])) }
    self[index].names.append(name)
  }
}

extension [ZoneGroup] {
  /// The time in the library of a catalogue; `nil` if it is none of these.
  func now(of catalogue: String) -> CivilDateTime? {
    first { $0.names.contains(catalogue) }?.now
  }

  /// Leaves out the catalogues that were moved, probably, under both names: what is due would be sent once
  /// more, or of books that are back.
  ///
  /// - Parameter report: gets a sentence about each.
  func withoutMoved(
    _ schedule: ScheduleReader, report: (String) -> Void
  ) throws(ScheduleError) -> [ZoneGroup] {
    guard let now = first?.now else { return self }
    let moved = try schedule.movedCatalogues(among: flatMap(\.names), at: now)
    if moved.isEmpty { return self }
    for (name, oldName, isGone) in moved {
      let (new, old) = (name.shellQuoted.visible, oldName.shellQuoted.visible)
      report(
        """
        \(name.visibleCatalogue) has the loans of \(oldName.visibleCatalogue)\
        \(isGone ? ", which is gone" : ""), so the notices of both are held; if it \
        \(isGone ? "was moved" : "takes its place"), use check-loans schedule rename-catalogue \(old) \
        \(new), and otherwise check-loans schedule forget \(isGone ? old : new)
        """)
    }
    return map { clock, now, names in
      (
        clock, now,
        names.filter { name in !moved.contains { $0.name == name || $0.oldName == name } }
      )
    }
  }
}

extension [CatalogueToRead] {
  /// The names of the catalogues in each time zone.
  var namesByZone: [ZoneGroup] {
    reduce(into: []) { groups, catalogue in
      groups.add(catalogue.source.name, catalogue.clock, catalogue.now)
    }
  }
}

extension Environment {
  /// The catalogues that are given on the command line, else those of the settings file, each once
  /// and with its own settings.
  ///
  /// - Parameters:
  ///   - files: those of the command line.
  ///   - options: what holds for catalogues without settings of their own.
  ///   - now: the time to take for now.
  ///   - jobs: how many threads read at most.
  ///   - schedule: the schedule's file, beside which is what was fetched; `nil` for no schedule.
  ///   - findsGone: whether the schedule's catalogues whose files are gone are among those of a pattern.
  ///   - example: a command line with a catalogue.
  /// - Throws: ``CommandError`` with the status `usage` if there is none, or what is wrong with one's
  ///   settings.
  func catalogues(
    _ files: [String], _ options: CatalogueOptions, now: CivilDateTime?, jobs: Int,
    schedule: String?, findsGone: Bool = true, example: String
  ) throws(CommandError) -> [CatalogueToRead] {
    let tables = given.tables
    let listed = given.file?.listed
    if files.isEmpty && tables.isEmpty && listed?.texts.isEmpty != false {
      throw noCatalogue(example, listed)
    }
    // What is wrong with the schedule is reported by its user.
    let looked = files.isEmpty && findsGone ? schedule : nil
    let reader = looked.flatMap { try? ScheduleReader(opening: $0) }
    let gone = ((try? reader?.catalogues()) ?? []).filter { !FileSystem.exists($0) }
    var makers: [CatalogueToRead] = []
    for table in tables {
      var maker = try catalogue(table.options.catalogue, now, jobs: jobs, table)
      if table.isFetched, let name = maker.source.library {
        maker.fetch = CatalogueFetch(
          name, table.options.fetch, profile: maker.settings.profile, besideSchedule: schedule,
          self)
      }
      makers.append(maker)
    }
    let other = try catalogue(options, now, jobs: jobs)
    var catalogues: [CatalogueToRead] = []
    if files.isEmpty {
      for (setting, maker) in zip(tables.map(\.path) + [listed], makers + [other]) {
        let fetched = maker.fetch.map { [$0.name] }
        for path in fetched ?? paths(of: setting, maker.settings.allowsEmpty, gone) {
          catalogues.append(maker.at(path, self))
        }
      }
    } else {
      try checkWorkingDirectory(for: files)
      let owners = CatalogueOwners(tables, self)
      for file in files {
        let owner = owners[isFetched(file) ? file : catalogueName(file)]
        catalogues.append((owner.map { makers[$0] } ?? other).at(file, self))
      }
    }
    // A name is bytes: names that Unicode takes for equal are different files.
    var names: Set<[UInt8]> = []
    return catalogues.filter { names.insert(Array($0.source.name.utf8)).inserted }
  }

  /// The names of the schedule's catalogues in each time zone, as the tables of the settings file have
  /// them.
  ///
  /// - Parameter clock: that of a catalogue without a zone of its own.
  func namesByZone(
    _ names: [String], _ clock: LocalClock, now: CivilDateTime?
  ) throws(CommandError) -> [ZoneGroup] {
    var clocks: [LocalClock] = []
    for table in given.tables {
      clocks.append(try table.options.catalogue.zone.clock(self, own: table.own))
    }
    let owners = CatalogueOwners(given.tables, self)
    var groups: [ZoneGroup] = []
    for name in names {
      let clock = owners[name].map { clocks[$0] } ?? clock
      groups.add(name, clock, try clock.now(now))
    }
    return groups
  }

  /// Whether this is the name of a catalogue that a program fetches; a file of the same name is `./NAME`.
  func isFetched(_ name: String) -> Bool {
    given.tables.contains { $0.isFetched && $0.name?.utf8.elementsEqual(name.utf8) == true }
  }

  /// Whether the settings file lists a catalogue of the schedule.
  var isListed: (_ name: String) -> Bool {
    let owners = CatalogueOwners(given.tables, self)
    let listed = given.file?.listed?.texts ?? []
    let names = Set(listed.map { Array(catalogueName($0).utf8) })
    let patterns = listed.flatMap { self.patterns(of: $0) }
    return { name in
      owners[name] != nil || names.contains(Array(name.utf8))
        || patterns.contains { FilePattern.fits(name, $0.text) }
    }
  }

  /// The closed days of each of the schedule's catalogues, as the tables of the settings file have them.
  ///
  /// - Parameter options: what holds for a catalogue without closed days of its own.
  func closedDays(
    of names: [String], _ options: ClosedDayOptions
  ) -> [String: ClosedDaySetting] {
    let settings = given.tables.map {
      ClosedDaySetting($0.options.catalogue.closed, self, own: $0.own)
    }
    let (owners, other) = (CatalogueOwners(given.tables, self), ClosedDaySetting(options, self))
    let found = names.map { name in (name, owners[name].map { settings[$0] } ?? other) }
    return Dictionary(found) { first, _ in first }
  }

  /// The ages up to which the files of the schedule's catalogues are believed, as the tables of the
  /// settings file have them, for each of the names; `nil` for any age.
  ///
  /// - Parameter options: what holds for a catalogue without an age of its own.
  func staleLimits(of names: [String], _ options: StaleOptions) -> [String: TimeSpan?] {
    let owners = CatalogueOwners(given.tables, self)
    return names.reduce(into: [:]) { ages, name in
      let own = owners[name].flatMap { given.tables[$0].options.staleAfter }
      ages[name] = .some(own ?? options.staleAfter)
    }
  }

  /// The patterns that names of the schedule fit for a path of the settings, each as the directory and
  /// the whole.
  ///
  /// These names have no links to directories in them.
  fileprivate func patterns(of path: String) -> [(directory: String, text: String)] {
    [FilePattern.pattern(path), FilePattern.xmlFiles(in: path)].flatMap { pattern in
      let name = pattern.suffix(from: pattern.lastIndex(of: "/") ?? pattern.startIndex)
      let directory = String(pattern.dropLast(name.count))
      let found =
        FilePattern.isPattern(directory)
        ? FilePattern.files(fitting: directory).compactMap(FileSystem.realPath)
        : [FilePath(directory).withoutLinks()?.string].compactMap(\.self)
      return [(directory, pattern)] + found.map { ($0, FilePattern.literal($0) + name) }
    }
  }

  /// Checks what the settings file has for single catalogues.
  ///
  /// - Throws: ``CommandError`` for the first that makes no sense.
  func checkTables(_ options: CatalogueOptions, now: CivilDateTime?) throws(CommandError) {
    for table in given.tables {
      if let fault = try catalogue(table.options.catalogue, now, jobs: 1, table).fault {
        throw fault
      }
    }
    _ = try catalogue(options, now, jobs: 1)
  }

  /// A catalogue of a table of the settings file, or of none, whose path is still to be set.
  private func catalogue(
    _ options: CatalogueOptions, _ now: CivilDateTime?, jobs: Int, _ table: CatalogueTable? = nil
  ) throws(CommandError) -> CatalogueToRead {
    let own = table?.own ?? []
    var profile: NamedProfile?
    var fault: CommandError?
    do throws(CommandError) { profile = try options.form.profile(self, own: own) } catch {
      // The catalogues of other tables can be read.
      if own["profile"] == nil { throw error }
      fault = error
    }
    let clock = try options.zone.clock(self, own: own)
    return try CatalogueToRead(
      source: CatalogueSource(path: "", library: table?.name),
      settings: options.reloadSettings(profile?.profile, jobs: jobs), ladder: options.ladder,
      closed: ClosedDaySetting(options.closed, self, own: own),
      clock: clock, now: clock.now(now), profileFile: profile?.path, fault: fault)
  }

  /// The files that a setting stands for.
  ///
  /// - Parameter gone: the catalogues of the schedule whose files are gone. Among the files are those
  ///   that it stood for: that is reported, and their reminders are still delivered.
  private func paths(of setting: Setting?, _ mayBeNone: Bool, _ gone: [String]) -> [String] {
    (setting?.texts ?? []).flatMap { path in
      let patterns = gone.isEmpty ? [] : patterns(of: path)
      let missing = gone.filter { name in
        patterns.contains { FilePattern.fits(name, $0.text) }
      }
      return FilePattern.files(at: path, mayBeNone: mayBeNone || !missing.isEmpty) + missing
    }
  }

  /// - Parameter listed: the list of the settings file, if it has one.
  private func noCatalogue(_ example: String, _ listed: Setting?) -> CommandError {
    if let listed {
      return CommandError(
        .noInput,
        """
        \(listed.place.visible): "\(listed.name)" is empty; add a catalogue, or name one, as in \
        \(example)
        """
      )
    }
    let file = settingsFileToWrite ?? "config.toml"
    return CommandError(
      .usage,
      """
      no catalogue is named; name one, as in \(example), or write \
      catalogues = ["/path/to/books.xml"] into \(file.visible)
      """)
  }
}

/// The tables of the settings file that catalogues belong to, whether their files are there or not.
private struct CatalogueOwners {
  /// The first table of each path, taken as a name.
  private var named: [[UInt8]: Int] = [:]
  /// The patterns with their tables, by their directories; under "" where that is a pattern itself.
  private var patterns: [String: [(text: String, table: Int)]] = [:]

  init(_ tables: [CatalogueTable], _ environment: Environment) {
    for (index, table) in tables.enumerated() {
      if table.isFetched, let name = table.name { named[Array(name.utf8)] = index }
      for path in table.path?.texts ?? [] {
        let found = environment.patterns(of: path)
        let paths = found.map(\.text).filter(FilePattern.isPath)
        for name in [environment.catalogueName(path)] + paths {
          let bytes = Array(name.utf8)
          named[bytes] = named[bytes] ?? index
        }
        for (directory, text) in found where !FilePattern.isPath(text) {
          let isPattern = FilePattern.isPattern(directory)
          patterns[isPattern ? "" : directory, default: []].append((text, index))
        }
      }
    }
  }

  /// The index of the table that a name belongs to.
  subscript(name: String) -> Int? {
    let directory = name.prefix(upTo: name.lastIndex(of: "/") ?? name.startIndex)
    let fitting = ["", String(directory)].compactMap { directory in
      patterns[directory]?.first { FilePattern.fits(name, $0.text) }?.table
    }
    return (fitting + [named[Array(name.utf8)]].compactMap(\.self)).min()
  }
}
