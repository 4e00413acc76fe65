package import CommandOutput
import Notifiers
package import Settings

/// A run of `watch` as it was asked for, with its buttons and what it watches.
package struct WatchSettings {
  let options: WatchOptions
  private(set) var run: RunSettings
  /// Where the schedule is kept.
  let state: String
  /// The absolute paths of the catalogues, in which links to directories may come to lead elsewhere.
  let cataloguePaths: [String]
  /// The settings file's absolute path, whether it exists or not.
  let file: String?
  /// The buttons of notifications that silence their loans.
  let buttons: [NotificationButton]
  /// The absolute paths of the translation and the style of mail, as far as they are set.
  private let texts: [String]

  /// - Parameter file: the path of the settings file; `nil` for none.
  package init(
    _ options: WatchOptions, _ file: String?, _ environment: Environment
  ) throws(CommandError) {
    try environment.refuseDryRun()
    self.options = options
    state = try options.state.path(environment)
    run = try RunSettings(
      options, environment, otherwise: [.stdout], example: "check-loans watch books.xml")
    try run.checkRepeatable()
    if run.backlog == .markAll {
      throw CommandError(
        .usage, "watch would mark all that becomes due; first run check --backlog mark-all instead")
    }
    // It runs beside whatever the machine is there for.
    if options.catalogue.jobs.jobs == nil { run.readByOneThread() }
    texts = [options.language.own.translation, options.channels.mail.mailCss]
      .compactMap { $0.map(environment.absolutePath) }
    self.file = file.map(environment.absolutePath)
    // Elsewhere than on the command line, the program finds them by itself.
    let zone = environment.given["time-zone"].flatMap { $0.isFromCommandLine ? $0.texts.last : nil }
    let others: [(String, String?)] = [
      ("state", environment.absolutePath(state)),
      ("config", options.state.settings.config == nil ? nil : self.file), ("time-zone", zone),
    ]
    buttons =
      options.action.buttons?.buttons(
        options: others.compactMap { name, value in value.map { "--\(name)=\($0)" } },
        in: run.notifiers.language
      ) ?? []
    cataloguePaths = run.catalogues.map { environment.absolutePath($0.file) }
  }

  var isVerbose: Bool { options.verbose.verbose }
  /// The text of the button on notifications and its command.
  var action: NotificationAction? { options.action.action }
  /// Whether notifications have any button.
  var hasButtons: Bool { action != nil || !buttons.isEmpty }

  /// Enters the system's zone as it is now, where that is the zone.
  ///
  /// - Throws: ``CommandError`` if it is unknown; then nothing has changed.
  mutating func renewSystemZone(_ environment: Environment) throws(CommandError) {
    if run.clock.variable != nil { return }
    run.clock = try LocalClock(nil, environment.variables)
    for index in run.catalogues.indices where run.catalogues[index].clock.variable == nil {
      run.catalogues[index].clock = run.clock
    }
  }

  /// The absolute paths to watch, by what a change of them means.
  var watchedPaths: [WatchEvent: [String]] {
    var paths: [WatchEvent: [String]] = [:]
    for (index, path) in cataloguePaths.enumerated() { paths[.catalogue(index)] = [path] }
    // Any program may write to /dev/null, which means that there are no settings.
    if let file, file != "/dev/null" { paths[.settings] = [file] }
    let others =
      run.catalogues.compactMap(\.profileFile) + run.catalogues.flatMap(\.closed.calendars) + texts
    paths[.settings, default: []] += Set(others).sorted()
    if run.clock.variable == nil { paths[.systemZone] = ["/etc/localtime", "/etc/timezone"] }
    return paths
  }
}
