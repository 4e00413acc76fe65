import Loans
import ReminderSchedule
import ReminderService
import System

/// A catalogue with what holds for it.
struct CatalogueToRead {
  let source: CatalogueSource
  let settings: ReloadSettings
  /// The library's clock.
  let clock: LocalClock
  /// The current time in the library's zone.
  let now: CivilDateTime
  /// The absolute path of its profile's file, if it has one.
  let profileFile: String?

  /// The path as it was given.
  var path: String { source.path }
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
  ///   - schedule: the schedule's file, whose catalogues are known.
  ///   - example: a command line with a catalogue.
  /// - Throws: ``CommandError`` with the status `usage` if there is none, or what is wrong with one's
  ///   settings.
  func catalogues(
    _ files: [String], _ options: CatalogueOptions, now: CivilDateTime?, jobs: Int,
    schedule: String?, example: String
  ) throws(CommandError) -> [CatalogueToRead] {
    // What is wrong with the schedule is reported by its user.
    let known = schedule.flatMap { try? ScheduleReader(opening: $0).catalogues() } ?? []
    let isAnySet = given.file?.tables.isEmpty == false || given.file?.catalogues != nil
    if files.isEmpty && !isAnySet { throw noCatalogue(example) }
    let makers = try catalogueMakers(
      options, now: now, jobs: jobs, known: isAnySet ? known : [])
    var catalogues: [CatalogueToRead] = []
    if files.isEmpty {
      for maker in makers { catalogues += maker.paths.map { maker.catalogue($0, self) } }
    } else {
      try checkWorkingDirectory(for: files)
      let tables = (given.file?.tables ?? []).map { CatalogueNames($0.path.texts, self) }
      for file in files {
        let name = catalogueName(file)
        let owner = tables.firstIndex { $0.contains(name) } ?? tables.endIndex
        catalogues.append(makers[owner].catalogue(file, self))
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
    var tables: [(names: CatalogueNames, clock: LocalClock)] = []
    for table in given.file?.tables ?? [] {
      let zone = try given.options(with: table.values).zone
      tables.append(
        (CatalogueNames(table.path.texts, self), try zone.clock(self, own: table.values)))
    }
    var groups: [ZoneGroup] = []
    for name in names {
      let clock = tables.first { $0.names.contains(name) }?.clock ?? clock
      groups.add(name, clock, try clock.now(now))
    }
    return groups
  }

  /// The patterns that names of the schedule fit for a path of the settings.
  fileprivate func patterns(of path: String) -> [String] {
    [path, FilePattern.xmlFiles(in: path)].map(catalogueName)
  }

  /// Checks what the settings file has for single catalogues.
  ///
  /// - Throws: ``CommandError`` for the first that makes no sense.
  func checkTables(_ options: CatalogueOptions, now: CivilDateTime?) throws(CommandError) {
    _ = try catalogueMakers(options, now: now, jobs: 1, known: [])
  }

  /// The catalogues of the schedule that a path of the settings stood for, and whose files are gone:
  /// that is reported, and their reminders are still delivered.
  private func missingFiles(of path: String, _ known: [String]) -> [String] {
    let patterns = patterns(of: path)
    return known.filter { name in
      !FileSystem.exists(name) && patterns.contains { FilePattern.fits(name, $0) }
    }
  }

  /// What makes the catalogues of each table of the settings file, and last that of all others.
  private func catalogueMakers(
    _ options: CatalogueOptions, now: CivilDateTime?, jobs: Int, known: [String]
  ) throws(CommandError) -> [CatalogueMaker] {
    func maker(
      _ options: CatalogueOptions, _ paths: [String], _ library: String? = nil,
      own: [GivenValue] = []
    ) throws(CommandError) -> CatalogueMaker {
      let profile = try options.form.profile(self)
      let clock = try options.zone.clock(self, own: own)
      return try CatalogueMaker(
        paths: paths.flatMap { path in
          let missing = missingFiles(of: path, known)
          let mayBeNone = options.records.allowEmpty || !missing.isEmpty
          return FilePattern.files(at: path, mayBeNone: mayBeNone) + missing
        },
        library: library, settings: options.reloadSettings(profile?.profile, jobs: jobs),
        clock: clock, now: clock.now(now), profileFile: profile?.path)
    }
    var makers: [CatalogueMaker] = []
    for table in given.file?.tables ?? [] {
      makers.append(
        try maker(
          given.options(with: table.values), table.path.texts, table.library?.texts.first,
          own: table.values))
    }
    makers.append(try maker(options, given.file?.catalogues?.texts ?? []))
    return makers
  }

  private func noCatalogue(_ example: String) -> CommandError {
    let file =
      [given.file?.path, standardSettingsFile].compactMap(\.self).first { $0 != "/dev/null" }
      ?? "config.toml"
    return CommandError(
      .usage,
      """
      no catalogue is named; name one, as in \(example), or write \
      catalogues = ["/path/to/books.xml"] into \(file.visible)
      """)
  }
}

/// The names of the catalogues that a table of the settings file is about, whether they are there or
/// not.
private struct CatalogueNames {
  private let names: Set<[UInt8]>
  private let patterns: [String]

  init(_ paths: [String], _ environment: Environment) {
    let files = paths + paths.flatMap { FilePattern.files(at: $0, mayBeNone: true) }
    names = Set(files.map { Array(environment.catalogueName($0).utf8) })
    patterns = paths.flatMap(environment.patterns)
  }

  func contains(_ name: String) -> Bool {
    names.contains(Array(name.utf8)) || patterns.contains { FilePattern.fits(name, $0) }
  }
}

/// What the catalogues of one table, or of none, have in common.
private struct CatalogueMaker {
  /// The files that there are now.
  let paths: [String]
  let library: String?
  let settings: ReloadSettings
  let clock: LocalClock
  let now: CivilDateTime
  let profileFile: String?

  func catalogue(_ path: String, _ environment: Environment) -> CatalogueToRead {
    CatalogueToRead(
      source: CatalogueSource(
        path: path, name: environment.catalogueName(path), library: library),
      settings: settings, clock: clock, now: now, profileFile: profileFile)
  }
}
