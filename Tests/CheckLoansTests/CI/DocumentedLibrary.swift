import TestSupport
import Testing

@testable import CheckLoans
@testable import CommandOutput
@testable import Settings

/// The library that the documentation is about: one folder is its `/srv/library`, its `/usr/local`,
/// its `/etc/check-loans`, the home and the working directory, with `books.xml`, the command, and
/// stand-ins for what cannot be here.
struct DocumentedLibrary {
  private let pipeline: Pipeline
  private var folder: ScratchFolder { pipeline.folder }

  private static let koha =
    "\(projectDirectory)/Fixtures/systems/koha-ilsdi-name-behind-the-loans.xml"

  private static let archive = "check-loans-\(ProgramVersion.number)-linux-x86_64"

  /// Makes a release's archive, and the sums beside it.
  private static let release = """
    mkdir \(archive)
    '\(projectDirectory)/packaging/tree.sh' bin/check-loans \(archive)
    tar -cf - \(archive) | gzip -1 > \(archive).tar.gz
    rm -r \(archive)
    sha256sum \(archive).tar.gz > SHA256SUMS
    """

  /// What a page takes for granted.
  private static let preparations = [
    "README.md": release,
    "docs/catalogue.md": "mkdir old; cp books.xml old; check-loans old/books.xml",
    "docs/ci.md": "git init -q; git add books.xml",
    "man/check-loans.1": "git init -q; git add books.xml",
    "docs/installing.md": """
    \(release)
    mkdir -p .config/check-loans
    check-loans books.xml
    """,
    "docs/formats.md": """
    mkdir -p .config/check-loans
    touch settings.toml
    ln -s ../../settings.toml .config/check-loans/config.toml
    printf '%s\\n' 7 8 > patron-numbers
    cp '\(projectDirectory)/Fixtures/systems/gcstar-lend-date.xml' books.gcs
    """,
    "docs/troubleshooting.md": """
    cp books.xml old-books.xml
    check-loans books.xml old-books.xml
    """,
  ]

  /// The commands that end with another status than 0 here, as their pages say they may.
  private static let statuses = [
    "check-loans schedule forget --borrower-is \"Halmos Benedek\"": 64,
    "check-loans schedule forget --channel mail-redirect": 64,
    "check-loans schedule forget --address anna@example.org": 64,
  ]

  /// What a script does that stands in for a program.
  private static let standIns = [
    "curl": """
    output=/dev/stdout
    while [ $# -gt 1 ]; do
      case $1 in
      -o) output=$2; shift ;;
      -*O) output=${2##*/} ;;
      esac
      shift
    done
    case $output$1 in
    *patron*) sed 's/<barcode>/&9/' '\(koha)' ;;
    *https://*books.xml) cat '\(Desk.books)' ;;
    *) exit 22 ;;
    esac > "$output"
    """,
    // A target that the project has is made without doing anything.
    "make": "exec /usr/bin/make --dry-run -C '\(projectDirectory)' \"$@\" > /dev/null",
    "sudo": """
    case "$*" in
    *--system*) exit ;;  # This would be about the machine itself.
    -u*) shift 2 ;;
    esac
    exec "$@"
    """,
    "chown": "", "deluser": "", "gh": "", "cosign": "",
    "apt": "[ \"$1\" = install ] || [ \"$1\" = purge ]",
    "apt-get": "[ \"$1\" = install ]",
    "podman": """
    [ "$1" != pull ] || exit 0
    while [ "$1" != ghcr.io/OWNER/check-loans:\(ProgramVersion.number) ]; do shift || exit; done
    shift
    exec check-loans "$@"
    """,
    // As the query of the file, or of what is typed.
    "mariadb": """
    case "$*" in
    *"source "*) sed 's/2026-11-26/2026-11-22/' \
      '\(projectDirectory)/Fixtures/systems/mariadb-all-columns.xml' ;;
    *) cat > /dev/null ;;
    esac
    """,
    "psql": """
    case "$*" in
    *--file=*) cat '\(projectDirectory)/Fixtures/systems/postgresql-all-columns.xml' ;;
    *) cat > /dev/null ;;
    esac
    """,
    "mail": "grep -q overdue",
    "sendmail": "case $1 in -t | -i) grep -q '^To: ' ;; *) exit 64 ;; esac",
    "notify-send": "", "systemctl": "", "journalctl": "",
  ]

  init(page: String) async throws {
    var pipeline = try await Pipeline(isInstalled: false)
    pipeline.environment["CHECK_LOANS_NOW"] = "2026-11-21T07:30"
    // Not the mail system that the machine may have.
    if ["docs/mail.md", "docs/formats.md"].contains(page) {
      pipeline.environment["CHECK_LOANS_MAIL_PROGRAM"] = "sendmail"
    }
    // What install.sh installs, it would install on this machine.
    if ["README.md", "docs/installing.md"].contains(page) {
      pipeline.environment["PREFIX"] = pipeline.folder.path
    }
    pipeline.environment["PATH"] =
      "\(pipeline.folder.path)/stand-ins:\(pipeline.folder.path)/bin:/usr/bin:/bin"
    self.pipeline = pipeline
    try folder.write(File.text(of: Desk.books), to: "books.xml")
    try folder.makeDirectory("stand-ins")
    for (name, script) in Self.standIns {
      try folder.write(program: "#!/bin/sh\n\(script)\n", to: "stand-ins/\(name)")
    }
    // Not a link: `timer` writes where the program really is.
    try await pipeline.shell("cp '\(Command.checkLoans)' bin/check-loans")
    try await pipeline.shell(Self.preparations[page] ?? "")
  }

  /// Does with a block what a reader would do with it.
  func run(_ block: Page.Block) async throws {
    let block = placed(block)
    switch block.language {
    case "sh" where block.text.hasPrefix("#!"), "python":
      try await install(block)
    case "sh":
      // What watches goes on until it is stopped, and by the real clock, so in a schedule of its own.
      let watch =
        "timeout --foreground --preserve-status 3 env XDG_STATE_HOME=\"$HOME/watch\" check-loans watch"
      try await pipeline.shell(
        Self.allowingStatuses(block.text).replacing(/(?m)^check-loans watch/, with: watch))
    case "console": try await pipeline.type(block)
    case "crontab": #expect(try await mail(of: block).errors == "")
    case "toml": try await read(settings: block)
    case "json": _ = try JSON(parsing: block.text)
    case "xml": try await read(document: block)
    // Tests/Real/sql.sh asks the real servers.
    case "sql": break
    // `make lint` compares the graph of the rooms.
    case "text" where block.heading == "The rooms": break
    case "jsonc":
      let setting = block.text.split(separator: "\n").dropFirst().joined(separator: "\n")
      let json = try JSON(parsing: "{\(setting)}")
      if let command = json["custom/loans"].exec.text { try await pipeline.shell(command) }
    case "yaml":
      #expect(try Page("docs/ci.md").blocks.contains { $0.text == block.text })
    default: Issue.record("no test knows how to run \(block)")
    }
  }

  private static func allowingStatuses(_ script: String) -> String {
    statuses.reduce(script.replacing("sudo -u check-loans ", with: "")) { script, entry in
      script.replacing(entry.key, with: "{ \(entry.key) || [ $? -eq \(entry.value) ]; }")
    }
  }

  /// Writes a program to the file that it names.
  private func install(_ block: Page.Block) async throws {
    let file = try #require(block.file).replacing("\(folder.path)/", with: "")
    try folder.write(program: block.text, to: file)
    if file == "bin/fetch-patrons" { try await pipeline.shell(file) }
  }

  /// A block with the folder in place of its paths.
  private func placed(_ block: Page.Block) -> Page.Block {
    var block = block
    block.text.replace("/usr/bin/check-loans", with: "\(folder.path)/bin/check-loans")
    block.text.replace("/var/lib/check-loans", with: "\(folder.path)/account")
    for place in [
      "/srv/library", "/usr/local", "/etc/check-loans", "/usr/share/doc/check-loans/examples",
    ] {
      block.text.replace(place, with: folder.path)
    }
    return block
  }

  /// Lets nothing be fetched any more.
  func stopServer() throws {
    try folder.write(
      program: "#!/bin/sh\necho 'curl: no server' >&2\nexit 7\n", to: "stand-ins/curl")
  }

  /// Runs the commands of a crontab as cron does, and returns what they print, which cron mails.
  func mail(of crontab: Page.Block) async throws -> (text: String, errors: String) {
    var mail = (text: "", errors: "")
    var variables = ["PATH": "/usr/bin:/bin"]
    for line in placed(crontab).text.split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5)
      if fields.count == 6, fields[0].allSatisfy(\.isNumber) {
        #expect(!fields[5].contains("%"))
        var cron = variables
        cron["PATH"] = "\(folder.path)/stand-ins:" + (variables["PATH"] ?? "")
        let result = try await pipeline.shell(
          "exec /bin/sh -c \"$COMMAND\"",
          variables: cron.merging(["COMMAND": String(fields[5])]) { $1 })
        mail.text += result.text
        mail.errors += result.errorText
      } else {
        let parts = line.split(separator: "=", maxSplits: 1)
        try #require(parts.count == 2)
        variables[String(parts[0])] = String(parts[1].filter { $0 != "\"" })
      }
    }
    return mail
  }

  /// Lets the command read settings.
  private func read(settings block: Page.Block) async throws {
    if block.file == ".check-loans.toml" {
      try folder.write(block.text, to: ".check-loans.toml")
      try await pipeline.shell("check-loans validate --show-settings && rm .check-loans.toml")
    } else {
      try folder.write(block.text, to: "settings.toml")
      try await pipeline.shell("check-loans config --config settings.toml")
    }
  }

  /// Lets the command read a catalogue or a profile; a part of one need only be well-formed.
  private func read(document block: Page.Block) async throws {
    let file = block.file ?? "example.xml"
    try folder.write(block.text, to: file)
    if block.text.contains("<profile ") {
      try await pipeline.shell("check-loans profiles check \(file)")
    } else if block.text.contains("<books>") {
      try await pipeline.shell("check-loans validate \(file)")
    } else {
      try await pipeline.shell("(echo '<x>'; cat \(file); echo '</x>') | xmllint --noout -")
    }
  }
}
