import Loans
import TestSupport
import Testing

/// Killed over and over while it writes to a thousand readers, the command leaves nobody out, and writes
/// again only to whom it was writing.
struct MailKillTests {
  private static let readers = Set((0..<1_000).map { "reader\($0)@example.org" })
  private static let killsOfATrial = 50

  /// A folder with a catalogue, in which each reader has one to three loans that end now, and with a mail
  /// program that notes whom it has sent a whole message to.
  private static func scene() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    var xml = "<books>\n"
    for loan in 0..<2_000 {
      // Two of the loans of a reader are far apart in the catalogue.
      let reader = loan < 1_000 ? loan : loan % 2 == 0 ? loan - 1_000 : (loan - 1_000) / 4 * 2
      xml += """
        <book id="\(loan)"><title>Book \(loan)</title><borrower>Reader \(reader)</borrower>\
        <email>reader\(reader)@example.org</email>\
        <expiration>\(Scene.today.adding(days: loan % 3 - 1).dotted)</expiration></book>

        """
    }
    try folder.write(xml + "</books>\n", to: "books.xml")
    try folder.write(
      program: """
        #!/bin/sh
        read -r phase < "$HOME/phase"
        for to; do :; done
        while read -r line; do last=$line; done
        case $last in *.) ;; *) to="cut off: $to" ;; esac
        echo "$to" >> "$HOME/mail.$phase"

        """, to: "send")
    return folder
  }

  private static func arguments(_ channel: String, _ folder: ScratchFolder) -> [String] {
    [
      "--notify", channel, "--mail-from", "Library <library@example.org>", "--mail-limit", "1000",
      "--mail-program", "send", "--mail-format", "text",
      "\(folder.path)/books.xml",
    ]
  }

  /// Kills runs one after the other, and lets the last one end.
  ///
  /// - Returns: the phases, in order.
  private static func disturb(
    _ trial: Trial, _ arguments: [String], moments: [Duration], _ what: String
  ) async throws -> [String] {
    var phases: [String] = []
    for (number, moment) in moments.enumerated() {
      phases.append("\(number)")
      let run = try RunningCommand(try trial.command(arguments, phase: "\(number)"))
      try await Task.sleep(for: moment)
      run.send(.kill)
      let result = try await run.end()
      #expect(try await trial.leftovers() == [], "\(what): processes are left")
      if result.ending != .signaled(9) {
        #expect(result.outcome == .init(0), "\(what)")
        return phases
      }
    }
    let last = try await trial.run(arguments, phase: "last")
    #expect(last.outcome == .init(0), "\(what)")
    return phases + ["last"]
  }

  /// Random moments for each of some trials, so that a run that takes so long is divided among them.
  private static func moments(_ duration: Duration) -> [(number: Int, moments: [Duration])] {
    let seed = testVariable("CHECK_LOANS_SEED").flatMap { UInt64($0) } ?? .random(in: 1...(.max))
    print("random moments: CHECK_LOANS_SEED=\(seed)")
    var generator = SplitMix(seed: seed)
    let trials = (Effort.kills + killsOfATrial - 1) / killsOfATrial
    return (0..<trials).map { number in
      let count = min(killsOfATrial, Effort.kills - number * killsOfATrial)
      return (
        number,
        (0..<count).map { _ in
          duration * Double.random(in: 0...2, using: &generator) / Double(count)
        }
      )
    }
  }

  private static func sent(_ trial: Trial, _ phase: String) -> [String] {
    trial.folder.contents(of: "mail.\(phase)").split(separator: "\n").map(String.init)
  }

  @Test func `Mail goes to each reader once, and again only to whom it was going when killed`()
    async throws
  {
    let folder = try Self.scene()
    let arguments = Self.arguments("mail", folder)
    let undisturbed = try Trial(in: folder, schedule: nil)
    let result = try await undisturbed.run(arguments, phase: "only")
    #expect(result.outcome == .init(0))
    #expect(Self.sent(undisturbed, "only").count == 1_000)
    #expect(Set(Self.sent(undisturbed, "only")) == Self.readers)
    try await forEach(Self.moments(result.elapsed)) { number, moments in
      let trial = try Trial(in: folder, schedule: nil)
      let phases = try await Self.disturb(trial, arguments, moments: moments, "trial \(number)")
      var told: Set<String> = []
      var inFlight: Set<String> = []
      var repeats = 0
      for phase in phases {
        let sent = Self.sent(trial, phase)
        // What the program of a killed run was at can be noted first when the next run has begun.
        let own = sent.dropFirst()
        #expect(Set(own).count == own.count, "trial \(number): twice in run \(phase)")
        // Whoever was in flight comes last, so perhaps only in a later run.
        let twice = told.intersection(sent)
        #expect(
          twice.isSubset(of: inFlight),
          "trial \(number): \(twice) again in run \(phase), in flight were \(inFlight)")
        repeats += twice.count
        told.formUnion(sent)
        inFlight.formUnion([sent.first, sent.last].compactMap(\.self))
      }
      #expect(told == Self.readers, "trial \(number)")
      #expect(repeats < phases.count, "trial \(number): more than one for each kill")
      #expect(try await trial.integrity() == "ok", "trial \(number)")
      print("trial \(number): \(phases.count - 1) kills, \(repeats) written to again")
    }
  }

  @Test func `A Maildir has one message for each reader, whenever it is killed`() async throws {
    let folder = try Self.scene()
    let undisturbed = try Trial(in: folder, schedule: nil)
    let result = try await undisturbed.run(Self.arguments("maildir:box", folder), phase: "only")
    #expect(result.outcome == .init(0))
    let names = Set(try File.names(in: "\(undisturbed.folder.path)/box/new"))
    #expect(names.count == 1_000)
    try await forEach(Self.moments(result.elapsed)) { number, moments in
      let trial = try Trial(in: folder, schedule: nil)
      let arguments = Self.arguments("maildir:box", folder)
      let phases = try await Self.disturb(trial, arguments, moments: moments, "trial \(number)")
      let box = "\(trial.folder.path)/box"
      // The names tell whom a message is for, and about what.
      #expect(Set(try File.names(in: "\(box)/new")) == names, "trial \(number)")
      #expect(try File.names(in: "\(box)/tmp") == [], "trial \(number)")
      print("trial \(number): \(phases.count - 1) kills")
    }
  }
}
