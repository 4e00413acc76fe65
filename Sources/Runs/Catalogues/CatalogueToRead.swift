package import CommandOutput
import LoanRules
package import Loans
import ReminderSchedule
package import ReminderService
import Reports
package import Settings
import System
import SystemPackage

/// A catalogue with what holds for it.
package struct CatalogueToRead {
  package private(set) var source: CatalogueSource
  package var settings: ReloadSettings
  /// Its days of notices without rules.
  fileprivate let ladder: LadderOptions
  /// The closed days of its library, which become one of the settings once a run has read them.
  let closed: ClosedDaySetting
  /// The age up to which its file is believed; `nil` for any.
  let staleAfter: TimeSpan?
  /// The library's clock.
  package var clock: LocalClock
  /// The current time in the library's zone.
  package let now: CivilDateTime
  /// The absolute path of its profile's file, if it has one.
  let profileFile: String?
  /// Why it cannot be read, where that is known already.
  var fault: CommandError?
  /// What fetches it, if a program does.
  package fileprivate(set) var fetch: CatalogueFetch?
  /// What was fetched, which need not have a name.
  fileprivate var fetched: OpenFile?

  /// The path as it was given, or the name of what is fetched.
  package var path: String { fetch?.name ?? source.path }

  /// What a report says of it.
  var reported: ReportedCatalogue {
    ReportedCatalogue(path: path, library: source.library, now: now)
  }

  /// The path of its file.
  package var file: String { source.path }

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

  /// Why it cannot be read by what fetches nothing; `nil` if it can, or is a file.
  var faultOfFetch: CommandError? {
    guard let fetch, fetched == nil else { return nil }
    let name = fetch.name
    if fetch.file == nil {
      return CommandError(
        .noInput, "\(name.visible) is fetched by a program, and not kept without a schedule")
    }
    if FileSystem.exists(file) { return nil }
    let command = "check-loans \(name.shellQuoted.visible)"
    return CommandError(.noInput, "\(name.visible) has not been fetched yet; run \(command)")
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

extension Environment {
  /// The catalogues that are given on the command line, else those of the settings file, each once
  /// and with its own settings.
  ///
  /// - Parameters:
  ///   - files: those of the command line.
  ///   - options: what holds for catalogues without settings of their own.
  ///   - stale: the age of files that holds for catalogues without one of their own.
  ///   - now: the time to take for now.
  ///   - schedule: the schedule's file, beside which is what was fetched; `nil` for no schedule.
  ///   - findsGone: whether the schedule's catalogues whose files are gone are among those of a pattern.
  ///   - example: a command line with a catalogue.
  /// - Throws: ``CommandError`` with the status `usage` if there is none, or what is wrong with one's
  ///   settings.
  package func catalogues(
    _ files: [String], _ options: CatalogueOptions, stale: StaleOptions? = nil, now: CivilDateTime?,
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
      var maker = try catalogue(table.options.catalogue, stale, now, table)
      if table.isFetched, let name = maker.source.library {
        maker.fetch = CatalogueFetch(
          name, table.options.fetch, profile: maker.settings.profile, besideSchedule: schedule,
          self)
      }
      makers.append(maker)
    }
    let other = try catalogue(options, stale, now)
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

  /// Whether this is the name of a catalogue that a program fetches; a file of the same name is `./NAME`.
  package func isFetched(_ name: String) -> Bool {
    given.tables.contains { $0.isFetched && $0.name?.utf8.elementsEqual(name.utf8) == true }
  }

  /// Whether the settings file lists a catalogue of the schedule.
  var isListed: (_ name: String) -> Bool {
    let owners = CatalogueOwners(given.tables, self, listed: given.file?.listed)
    return { owners[$0] != nil }
  }

  /// The patterns that names of the schedule fit for a path of the settings, each as the directory and
  /// the whole.
  ///
  /// These names have no links to directories in them.
  fileprivate func patterns(of path: String) -> [(directory: String, text: String)] {
    [FilePattern.pattern(path), FilePattern.xmlFiles(in: path)].flatMap { pattern in
      let name = pattern.suffix(from: pattern.lastIndex(of: "/") ?? pattern.startIndex)
      var directory = String(pattern.dropLast(name.count))
      let isPattern = FilePattern.isPattern(directory)
      if !isPattern { directory = directory.replacing("\\\\", with: "\\") }
      let found =
        isPattern
        ? FilePattern.files(fitting: directory).compactMap(FileSystem.realPath)
        : [FilePath(directory).withoutLinks()?.string].compactMap(\.self)
      return [(directory, pattern)] + found.map { ($0, FilePattern.literal($0) + name) }
    }
  }

  /// Checks what the settings file has for single catalogues.
  ///
  /// - Throws: ``CommandError`` for the first that makes no sense.
  package func checkTables(_ options: CatalogueOptions, now: CivilDateTime?) throws(CommandError) {
    for table in given.tables {
      if let fault = try catalogue(table.options.catalogue, nil, now, table).fault {
        throw fault
      }
    }
    _ = try catalogue(options, nil, now)
  }

  /// A catalogue of a table of the settings file, or of none, whose path is still to be set.
  private func catalogue(
    _ options: CatalogueOptions, _ stale: StaleOptions?, _ now: CivilDateTime?,
    _ table: CatalogueTable? = nil
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
      settings: options.reloadSettings(profile?.profile), ladder: options.ladder,
      closed: ClosedDaySetting(options.closed, self, own: own),
      staleAfter: table?.options.staleAfter ?? stale?.staleAfter,
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
struct CatalogueOwners {
  /// The first table of each path, taken as a name.
  private var named: [[UInt8]: Int] = [:]
  /// The patterns with their tables, by their directories; under "" where that is a pattern itself.
  private var patterns: [String: [(text: String, table: Int)]] = [:]

  /// - Parameter listed: paths that belong to none of them; they count as those of one table more.
  init(_ tables: [CatalogueTable], _ environment: Environment, listed: Setting? = nil) {
    for (index, table) in tables.enumerated() where table.isFetched {
      if let name = table.name { named[Array(name.utf8)] = index }
    }
    for (index, setting) in (tables.map(\.path) + [listed]).enumerated() {
      for path in setting?.texts ?? [] {
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

extension String {
  /// What to do about the catalogue with this name, whose file is gone.
  package var adviceOnMissing: String {
    let name = shellQuoted.visible
    return """
      if the file was moved, use check-loans schedule rename-catalogue \(name) NEW; if it is gone for \
      good, use check-loans schedule forget \(name)
      """
  }
}
