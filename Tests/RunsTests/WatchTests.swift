import Loans
import TestSupport
import Testing

/// `check-loans watch`, as a process on its own, with files that are really edited.
struct WatchTests {
  // What it tells, and when.

  @Test func `What is due is delivered at once, and once`() async throws {
    let watcher = try Watcher(
      [("Abigél", 1), ("Az ajtó", -2), ("Solaris", 5)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél", "Az ajtó"])
    for _ in 1...2 { try await watcher.reloadAll() }
    #expect(try await watcher.end().status == 0)
    #expect(watcher.titles == ["Az ajtó", "Abigél"])
    #expect(watcher.complaints == [])
  }

  /// A watcher that begins its work some seconds before an instant, however busy the machine is.
  private func watcher(
    _ books: [(title: String, days: Int)], ready secondOfDay: Int, _ arguments: [String]
  ) async throws -> (Watcher, instant: Double) {
    for lead in [5, 15, 60] {
      let watcher = try Watcher(
        books, at: try Watcher.time(secondOfDay - lead), ["--verbose", "books.xml"] + arguments)
      let instant = watcher.clock.instant(of: secondOfDay)
      if try await watcher.isReady(before: instant) { return (watcher, instant) }
      try await watcher.end()
    }
    throw Watcher.Late()
  }

  @Test func `A reminder is delivered at its fire date, to the second`() async throws {
    let (watcher, fireDate) = try await watcher(
      [("Abigél", 1), ("Solaris", 2)], ready: 12 * 3_600, ["--at", "12:00"])
    try await watcher.expect(["Abigél"], at: fireDate)
    try await watcher.end()
    #expect(watcher.lines.first?.contains("expires tomorrow") == true)
  }

  @Test func `Midnight makes loans expire, and brings the next day's reminders`() async throws {
    let (watcher, midnight) = try await watcher(
      [("Abigél", 0), ("Solaris", 2), ("Az ajtó", 3)], ready: 86_400, [])
    #expect(watcher.titles == ["Abigél"])
    try await watcher.expect(["Abigél", "Abigél", "Solaris"], at: midnight)
    try await watcher.end()
    #expect(
      watcher.lines.map { $0.split(separator: "(")[0] } == [
        "\"Abigél\" expires today ", "\"Abigél\" expired yesterday ",
        "\"Solaris\" expires tomorrow ",
      ])
  }

  @Test(.enabled(if: FakeClock.canBeSet, "needs libfaketime"))
  func `A clock that is set back during a delivery is noticed right after it`() async throws {
    // Ten days ahead, so that the system's own timer comes to nothing.
    let start = Int(ShownClock.now) + 10 * 86_400
    let watcher = try Watcher([("Abigél", 1)], ["--notify", "exec:./set-back", "books.xml"]) {
      desk in
      let clock = "\(desk.folder.path)/clock"
      try desk.folder.write("\(start)\n", to: "clock")
      try desk.folder.write(
        program: "#!/bin/sh\nunset LD_PRELOAD\necho \(start - 5 * 86_400) > '\(clock)'\n",
        to: "set-back")
      desk.environment.merge([
        "LD_PRELOAD": FakeClock.library ?? "", "FAKETIME_TIMESTAMP_FILE": clock,
        "FAKETIME_FMT": "%s",
        "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
      ]) { $1 }
    }
    try await watcher.wait {
      watcher.errors.contains { $0.contains("was 5 days after this clock") }
    }
    try await watcher.end()
  }

  @Test(arguments: [Signal.terminate, .interrupt])
  func `It ends cleanly when told to`(signal: Signal) async throws {
    let watcher = try Watcher([("Abigél", 1)])
    try await watcher.wait(for: ["Abigél"])
    #expect(try await watcher.end(signal).status == 0)
    #expect(watcher.errors == [])
  }

  @Test func `The notice in flight is finished, the others stay pending`() async throws {
    // It is the channel itself that says so, since a busy test could be too late for that.
    let watcher = try Watcher(
      (1...4).map { ("Book \($0)", 1) }, ["--notify", "notify-send", "books.xml"]
    ) { desk in
      try desk.folder.write(
        program: """
          #!/bin/sh
          cd '\(desk.folder.path)'
          echo begin >> out
          if test "$(grep -c begin out)" -eq 2; then kill -TERM $PPID; sleep 1; fi
          echo end >> out

          """, to: "notify-send")
      desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
    }
    #expect(try await watcher.result().status == 0)
    #expect(watcher.lines == ["begin", "end", "begin", "end"])
    #expect(watcher.errors == [])
    #expect(try await watcher.desk.schedule().count { $0.state == "delivered" } == 2)
    #expect(try await watcher.desk.pending().count == 2)
  }

  @Test func `Who does not want to wait for the notice in flight says so twice`() async throws {
    // It is the channel itself that says so, since a busy test could be too late for that.
    let watcher = try Watcher([("Abigél", 1)], ["--notify", "exec:./slow", "books.xml"]) { desk in
      try desk.folder.write(
        program: """
          #!/bin/sh
          kill -TERM $PPID
          sleep 3
          echo again >> '\(desk.folder.path)/out'
          kill -TERM $PPID
          sleep 25
          echo late >> '\(desk.folder.path)/out'

          """, to: "slow")
    }
    let result = try await watcher.result()
    #expect(result.ending == .signaled(15))
    #expect(watcher.lines == ["again"])
    try await watcher.desk.expectNothingRunning()
    #expect(try await watcher.desk.pending() == ["Abigél"])
  }

  @Test func `What a channel cannot deliver is told once and stays pending`() async throws {
    let watcher = try Watcher(
      [("Abigél", 1)], ["-v", "--notify", "notify-send", "--notify", "stdout", "books.xml"],
      variables: ["PATH": "/nonexistent"])
    try await watcher.wait(for: ["Abigél"])
    for _ in 1...3 { try await watcher.reloadAll() }
    #expect(try await watcher.end().status == 0)
    #expect(watcher.complaints.count == 1)
    #expect(watcher.complaints[0].contains("notify-send was not found in PATH"))
    #expect(try await watcher.desk.schedule().map(\.state) == ["failed"])
  }

  // What it looks at.

  @Test(arguments: [
    "cat new > books.xml", "mv new books.xml", "cp new books.xml", "ln -f new books.xml",
    "mv books.xml books.xml~; cat new > books.xml; rm books.xml~", "rm books.xml; mv new books.xml",
    "cp new .books.xml.swp; mv -f .books.xml.swp books.xml",
    "sed -i '/Abig/{p;s/Abigél/Solaris/}' books.xml", "ln -sf new books.xml",
  ])
  func `Every way to change a catalogue is seen`(line: String) async throws {
    let watcher = try Watcher([("Abigél", 1)])
    try await watcher.wait(for: ["Abigél"])
    try watcher.write([("Abigél", 1), ("Solaris", 1)], to: "new")
    #expect(try await watcher.desk.shell(line).status == 0)
    try await watcher.wait(for: ["Abigél", "Solaris"])
    // The next change is seen too, whatever is there now.
    try watcher.write([("Dune", 1)], to: "next")
    #expect(try await watcher.desk.shell("mv next books.xml").status == 0)
    try await watcher.wait(for: ["Abigél", "Solaris", "Dune"])
    try await watcher.end()
    #expect(watcher.errors == [])
  }

  @Test func `A link's target is looked at, and a directory that is swapped by a link`()
    async throws
  {
    let watcher = try Watcher(["link.xml", "data/now/l.xml"]) { clock, desk in
      try desk.folder.write(clock.catalogue([("Abigél", 1)]), to: "target.xml")
      try desk.folder.makeLink("link.xml", to: "target.xml")
      for name in ["data", "data/v1", "data/v2"] { try desk.folder.makeDirectory(name) }
      try desk.folder.write(clock.catalogue([("Dune", 1)]), to: "data/v1/l.xml")
      try desk.folder.write(clock.catalogue([("Dune", 1), ("Solaris", 1)]), to: "data/v2/l.xml")
      try desk.folder.makeLink("data/now", to: "v1")
    }
    try await watcher.wait(for: ["Abigél", "Dune"])
    try watcher.write([("Abigél", 1), ("Az ajtó", 1)], to: "target.xml")
    try await watcher.wait(for: ["Abigél", "Dune", "Az ajtó"])
    #expect(
      try await watcher.desk.shell("ln -s v2 data/new; mv -T data/new data/now").status == 0)
    try await watcher.wait(for: ["Abigél", "Dune", "Az ajtó", "Solaris"])
    try await watcher.end()
    #expect(watcher.errors == [])
  }

  @Test func `Each catalogue is looked at for itself`() async throws {
    let watcher = try Watcher(["-v", "books.xml", "other.xml"]) { clock, desk in
      try desk.folder.write(clock.catalogue([("Abigél", 1)]), to: "books.xml")
      try desk.folder.write(clock.catalogue([("Dune", 1)]), to: "other.xml")
    }
    try await watcher.wait(for: ["Abigél", "Dune"])
    try watcher.write([("Dune", 1), ("Solaris", 1)], to: "other.xml")
    try await watcher.wait(for: ["Abigél", "Dune", "Solaris"])
    try await watcher.end()
    #expect(watcher.reloads(of: "books.xml") == 1)
    #expect(watcher.reloads(of: "other.xml") == 2)
  }

  @Test func `A burst of changes is few reloads`() async throws {
    let watcher = try Watcher([("Abigél", 1)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    try await watcher.wait { watcher.errors.last?.contains("next check") == true }
    let start = ShownClock.now
    var last = start
    // Where this test is kept waiting, the burst has ended, and another one begins.
    var pauses = 0
    for number in 1...50 {
      try watcher.write([("Abigél", 1), ("Book \(number)", 9)])
      try await Task.sleep(for: .milliseconds(5))
      if ShownClock.now - last > 0.1 { pauses += 1 }
      last = ShownClock.now
    }
    try watcher.write([("Abigél", 1), ("Solaris", 1)])
    try await watcher.wait(for: ["Abigél", "Solaris"])
    // One at the beginning, one for each 700 ms of changes, one when they have ended.
    let most = 4 + Int((ShownClock.now - start) / 0.7) + pauses
    try await watcher.reloadAll()
    try await watcher.end()
    #expect(watcher.reloads(of: "books.xml") <= most)
  }

  @Test func `SIGHUP has everything read again`() async throws {
    let watcher = try Watcher([("Abigél", 1)], ["-v", "books.xml"])
    try await watcher.wait { watcher.reloads(of: "books.xml") == 1 }
    for count in 2...4 {
      watcher.send(.hangUp)
      try await watcher.wait { watcher.reloads(of: "books.xml") == count }
    }
    #expect(try await watcher.end().status == 0)
  }

  @Test func `The settings file is gone by anew when it changes`() async throws {
    let watcher = try Watcher(["--config", "settings.toml"]) { clock, desk in
      try desk.folder.write("catalogues = [\"books.xml\"]\n", to: "settings.toml")
      try desk.folder.write(clock.catalogue([("Abigél", 1), ("Dune", 3)]), to: "books.xml")
      try desk.folder.write(clock.catalogue([("Solaris", 0)]), to: "other.xml")
    }
    let folder = watcher.desk.folder
    try await watcher.wait(for: ["Abigél"])
    try folder.write("catalogues = [\"books.xml\"]\nremind = 3\n", to: "settings.toml")
    try await watcher.wait(for: ["Abigél", "Dune"])
    try folder.write("catalogues = [\"books.xml\"]\nremind = \"x\"\n", to: "settings.toml")
    try await watcher.wait { watcher.errors.count == 1 }
    #expect(watcher.errors[0].contains("settings.toml:2:"))
    #expect(watcher.errors[0].hasSuffix("; the settings are unchanged"))
    try watcher.write([("Abigél", 1), ("Dune", 3), ("Az ajtó", 3)])
    try await watcher.wait(for: ["Abigél", "Dune", "Az ajtó"])
    try folder.write("catalogues = [\"other.xml\", \"books.xml\"]\n", to: "new.toml")
    try folder.rename("new.toml", to: "settings.toml")
    try await watcher.wait(for: ["Abigél", "Dune", "Az ajtó", "Solaris"])
    try watcher.write([("Solaris", 0), ("Édes Anna", 0)], to: "other.xml")
    try await watcher.wait(for: ["Abigél", "Dune", "Az ajtó", "Solaris", "Édes Anna"])
    try await watcher.end()
    #expect(watcher.errors.count == 1)
  }

  private static func canMount() async -> Bool {
    let mount = Command(
      "/usr/bin/unshare", ["-m", "mount", "--bind", "/etc", "/etc"],
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], directory: "/")
    return (try? await mount.run().status) == 0
  }

  /// Runs a program with a copy of /etc in `etc`, in which the system's zone is one of
  /// /usr/share/zoneinfo.
  private static func launcher(zone: String) -> [String] {
    let script = """
      mkdir etc; cp -a /etc/. etc; mount --bind etc /etc; rm -f /etc/localtime
      ln -s /usr/share/zoneinfo/\(zone) /etc/localtime; exec "$@"
      """
    return ["/usr/bin/unshare", "-m", "sh", "-ec", script, "sh"]
  }

  @Test(.enabled("needs a mount namespace of its own") { await canMount() })
  func `A zone of the system that is damaged is not taken for UTC`() async throws {
    let watcher = try Watcher(
      ["--config", "settings.toml"], launcher: Self.launcher(zone: "Asia/Tokyo")
    ) { _, desk in
      desk.environment["TZ"] = nil
      desk.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
      try desk.folder.write("catalogues = [\"books.xml\"]\n", to: "settings.toml")
      try desk.folder.write(catalogue(("Abigél", "2020.01.01")), to: "books.xml")
    }
    try await watcher.wait(for: ["Abigél"])
    let damage = "(printf TZIF; tail -c +5 /usr/share/zoneinfo/Asia/Tokyo) > etc/damaged"
    #expect(
      try await watcher.desk.shell("\(damage); mv -f etc/damaged etc/localtime").status == 0)
    try await watcher.wait { watcher.errors.count == 1 }
    #expect(watcher.errors[0].hasSuffix("; the time zone is unchanged"))
    let both = catalogue(("Abigél", "2020.01.01"), ("Dune", "2020.01.02"))
    try watcher.desk.folder.write(both, to: "books.xml")
    try await watcher.wait(for: ["Abigél", "Dune"])
    try await watcher.end()
    let offsets = "\"$0\" schedule --format json | grep -o '+[0-9:]*\"' | sort -u"
    #expect(try await watcher.desk.shell(offsets).lines == ["+09:00\""])
  }

  @Test(.enabled("needs a mount namespace of its own") { await canMount() })
  func `Another time zone of the system counts while the settings file is wrong`() async throws {
    let watcher = try Watcher(
      ["--config", "settings.toml", "--verbose"], launcher: Self.launcher(zone: "Etc/GMT+12")
    ) { _, desk in
      desk.environment["TZ"] = nil
      desk.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
      try desk.folder.write("catalogues = [\"books.xml\"]\n", to: "settings.toml")
      let west = try #require(ShownClock.today(hoursEast: -12))
      try desk.folder.write(catalogue(("Abigél", west.dotted)), to: "books.xml")
    }
    try await watcher.wait(for: ["Abigél"])
    try watcher.desk.folder.write("remind = banana\n", to: "settings.toml")
    try await watcher.wait { watcher.complaints.count == 1 }
    #expect(watcher.complaints[0].hasSuffix("; the settings are unchanged"))
    let link = "cd etc; ln -sf /usr/share/zoneinfo/Etc"
    #expect(try await watcher.desk.shell("\(link)/GMT-14 localtime").status == 0)
    try await watcher.wait(for: ["Abigél", "Abigél"])
    #expect(watcher.errors.contains("check-loans: the time zone is now Etc/GMT-14"))
    #expect(try await watcher.desk.shell("\(link)/Nowhere localtime").status == 0)
    try await watcher.wait { watcher.complaints.count == 2 }
    #expect(watcher.complaints[1].hasSuffix("; the time zone is unchanged"))
    try await watcher.end()
  }

  @Test(.enabled("needs a mount namespace of its own") { await canMount() })
  func `Another time zone of the system makes it another day at once`() async throws {
    let zones = "/usr/share/zoneinfo/Etc"
    let west = try #require(ShownClock.today(hoursEast: -12))
    let watcher = try Watcher(
      ["--verbose", "books.xml"], launcher: Self.launcher(zone: "Etc/GMT+12")
    ) { _, desk in
      desk.environment["TZ"] = nil
      desk.environment["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin"
      try desk.folder.write(catalogue(("Abigél", west.dotted)), to: "books.xml")
    }
    try await watcher.wait(for: ["Abigél"])
    #expect(watcher.lines[0].contains(" expires today "))
    // In this order the zone is missing for a moment.
    #expect(
      try await watcher.desk.shell(
        "cd etc; rm localtime; sleep 0.05; ln -s \(zones)/GMT-14 localtime"
      ).status == 0)
    try await watcher.wait(for: ["Abigél", "Abigél"])
    #expect(watcher.lines[1].contains(" expired "))
    #expect(watcher.errors.contains("check-loans: the time zone is now Etc/GMT-14"))
    // A zone that is not there is told, and not taken for UTC.
    #expect(
      try await watcher.desk.shell("cd etc; ln -sf \(zones)/Nowhere localtime").status == 0)
    try await watcher.wait {
      watcher.errors.last?.hasSuffix("; the time zone is unchanged") == true
    }
    try await watcher.end()
    #expect(watcher.lines.count == 2)
  }

  // What it does about trouble.

  @Test func `A broken catalogue is told once, keeps its reminders, and counts once it is fixed`()
    async throws
  {
    let watcher = try Watcher([("Abigél", 1), ("Dune", 9)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    try watcher.desk.folder.write("<books><book>", to: "books.xml")
    try await watcher.wait { watcher.complaints.count == 2 }
    #expect(watcher.complaints[0].hasSuffix(" [malformed-xml]"))
    #expect(
      watcher.complaints[1]
        == "check-loans: books.xml: its notices are unchanged until it is fixed")
    #expect(try await watcher.desk.schedule().map(\.title) == ["Abigél", "Dune"])
    for _ in 1...3 {
      let count = watcher.failedLooks(at: "books.xml")
      try watcher.desk.folder.write("<books><book>", to: "books.xml")
      try await watcher.wait { watcher.failedLooks(at: "books.xml") > count }
    }
    let count = watcher.failedLooks(at: "books.xml")
    watcher.send(.hangUp)
    try await watcher.wait { watcher.failedLooks(at: "books.xml") > count }
    #expect(watcher.complaints.count == 2, "it is told once: \(watcher.complaints)")
    try watcher.write([("Solaris", 1), ("Dune", 9)])
    try await watcher.wait(for: ["Abigél", "Solaris"])
    try await watcher.wait { watcher.complaints.count == 3 }
    #expect(watcher.complaints[2] == "check-loans: books.xml: reloaded, 2 loans")
    try watcher.desk.folder.write("<books><book>", to: "books.xml")
    try await watcher.wait { watcher.complaints.count == 5 }
    try await watcher.end()
  }

  @Test func `A catalogue that is removed is told once, and counts once it is back`()
    async throws
  {
    let watcher = try Watcher([("Abigél", 1), ("Dune", 9)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    try watcher.desk.folder.rename("books.xml", to: "away")
    try await watcher.wait { !watcher.complaints.isEmpty }
    #expect(watcher.complaints.map { $0.hasSuffix("; its notices are unchanged") } == [true])
    #expect(try await watcher.desk.schedule().map(\.title) == ["Abigél", "Dune"])
    try watcher.write([("Abigél", 1), ("Dune", 9), ("Solaris", 1)], to: "away")
    let count = watcher.failedLooks(at: "books.xml")
    watcher.send(.hangUp)
    try await watcher.wait { watcher.failedLooks(at: "books.xml") > count }
    #expect(watcher.titles == ["Abigél"])
    try watcher.desk.folder.rename("away", to: "books.xml")
    try await watcher.wait(for: ["Abigél", "Solaris"])
    try await watcher.end()
    #expect(watcher.complaints.dropFirst() == ["check-loans: books.xml: reloaded, 3 loans"])
  }

  @Test func `A catalogue need not be there, nor its directory, when it begins`() async throws {
    let watcher = try Watcher([], ["a/b/books.xml"])
    try await watcher.wait { watcher.errors.count == 1 }
    #expect(
      watcher.errors == ["check-loans: a/b/books.xml is not there yet; waiting for it"])
    try watcher.desk.folder.makeDirectory("a")
    try watcher.desk.folder.makeDirectory("a/b")
    try watcher.write([("Abigél", 1)], to: "a/b/books.xml")
    try await watcher.wait(for: ["Abigél"])
    try await watcher.end()
    #expect(watcher.errors.dropFirst() == ["check-loans: a/b/books.xml: reloaded, 1 loan"])
  }

  @Test func `A catalogue that is not there yet has what its table has`() async throws {
    let watcher = try Watcher(["--config", "settings.toml", "later.xml"]) { clock, desk in
      try desk.folder.write(
        "[[catalogue]]\npath = \"l*.xml\"\nremind = 3\n", to: "settings.toml")
    }
    try await watcher.wait { watcher.errors.count == 1 }
    try watcher.write([("Dune", 3)], to: "later.xml")
    try await watcher.wait(for: ["Dune"])
    try await watcher.end()
  }

  @Test func `A catalogue that is being written slowly is no trouble`() async throws {
    let watcher = try Watcher([("Abigél", 1)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    try watcher.write([("Abigél", 1), ("Solaris", 1)], to: "new")
    let slowly = """
      exec 3>books.xml
      while IFS= read -r line; do printf '%s\\n' "$line" >&3; sleep 0.7; done < new
      """
    #expect(try await watcher.desk.shell(slowly).status == 0)
    try await watcher.wait(for: ["Abigél", "Solaris"])
    let count = watcher.reloads(of: "books.xml")
    #expect(try await watcher.desk.shell("rm books.xml; \(slowly)").status == 0)
    try await watcher.wait { watcher.reloads(of: "books.xml") > count }
    try await watcher.end()
    #expect(watcher.complaints == [])
  }

  @Test func `A bad date is told once, and the other loans count`() async throws {
    let watcher = try Watcher([("Abigél", 1)], ["-v", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    let text = watcher.clock.catalogue([("Abigél", 1), ("Solaris", 1)])
    let broken = text.replacing(
      "</books>", with: "<book><title>x</title><expiration>x</expiration></book></books>")
    try watcher.desk.folder.write(broken, to: "books.xml")
    try await watcher.wait(for: ["Abigél", "Solaris"])
    let count = watcher.reloads(of: "books.xml")
    try watcher.desk.folder.write(broken + " ", to: "books.xml")
    try await watcher.wait { watcher.reloads(of: "books.xml") > count }
    try await watcher.reloadAll()
    try await watcher.end()
    #expect(watcher.complaints.count == 1)
    #expect(watcher.complaints.first?.hasSuffix(" [date-format]") == true)
  }

  @Test func `A new file beside it does not bring a known bad date back`() async throws {
    let watcher = try Watcher(["-v", "--config", "settings.toml"]) { clock, desk in
      try desk.folder.write("[[catalogue]]\npath = \"*.xml\"\n", to: "settings.toml")
      let bad = "<book><title>x</title><expiration>x</expiration></book></books>"
      try desk.folder.write(
        clock.catalogue([("Abigél", 1)]).replacing("</books>", with: bad), to: "books.xml")
    }
    try await watcher.wait(for: ["Abigél"])
    try watcher.write([("Solaris", 1)], to: "other.xml")
    watcher.send(.hangUp)
    try await watcher.wait(for: ["Abigél", "Solaris"])
    try await watcher.end()
    #expect(watcher.complaints.map { $0.hasSuffix(" [date-format]") } == [true])
  }

  @Test func `An empty catalogue does not take the loans away`() async throws {
    let titles = (1...11).map { "Title \($0)" }
    let watcher = try Watcher(titles.map { ($0, 1) })
    try await watcher.wait(for: titles)
    try watcher.write([])
    try await watcher.wait { watcher.errors.last?.hasSuffix("--allow-empty") == true }
    #expect(try await watcher.desk.schedule().count == 11)
    try await watcher.end()
  }

  @Test func `Most of the loans gone at once are named`() async throws {
    let titles = (1...12).map { "Title \($0)" }
    let watcher = try Watcher(titles.map { ($0, 1) })
    try await watcher.wait(for: titles)
    try watcher.write([("Title 1", 1)])
    try await watcher.wait {
      watcher.errors.last?.contains(": 11 of 12 loans have left it since the last reading; ")
        == true
    }
    try await watcher.end()
  }

  @Test func `A catalogue that is too old accuses nobody until it is written again`() async throws {
    let watcher = try Watcher([("Az ajtó", 1)], ["--stale-after", "36h", "books.xml"])
    try await watcher.wait(for: ["Az ajtó"])
    let books = [("Az ajtó", 1), ("Abigél", -1), ("Solaris", 1)]
    try watcher.write(books, to: "new.xml")
    _ = try await watcher.desk.shell("touch -d '3 days ago' new.xml; mv new.xml books.xml")
    try await watcher.wait(for: ["Az ajtó", "Solaris"])
    try await watcher.wait { watcher.errors.count == 2 }
    #expect(watcher.errors[0].contains("books.xml was last written 3 days ago, longer than "))
    #expect(
      watcher.errors[1]
        == "check-loans: 1 notice through stdout is held until a newer catalogue is read")
    try watcher.write(books)
    try await watcher.wait(for: ["Az ajtó", "Solaris", "Abigél"])
    try await watcher.end()
  }

  @Test func `A catalogue whose borrower the server does not know is held until it does`()
    async throws
  {
    let watcher = try Watcher([("Az ajtó", 1)])
    try await watcher.wait(for: ["Az ajtó"])
    try watcher.desk.folder.write(
      "<GetPatronInfo><code>PatronNotFound</code></GetPatronInfo>", to: "new.xml")
    _ = try await watcher.desk.shell("mv new.xml books.xml")
    try await watcher.wait {
      watcher.errors.count == 2
        && watcher.errors[0].contains("the server has not known the borrower since ")
        && watcher.errors[1].hasSuffix(" [unknown-borrower]")
    }
    #expect(try await watcher.desk.run("status").status == 1)
    try watcher.write([("Az ajtó", 1), ("Abigél", 1)])
    try await watcher.wait(for: ["Az ajtó", "Abigél"])
    try await watcher.end()
  }

  @Test func `Other runs use the schedule beside it`() async throws {
    let watcher = try Watcher([("Abigél", 1)])
    try await watcher.wait(for: ["Abigél"])
    let desk = watcher.desk
    #expect(try await desk.run("--notify", "stdout", "books.xml").outcome == Outcome(0))
    #expect(try await desk.run("schedule", "list").lines.count == 1)
    #expect(try await desk.run("schedule", "cancel", "--all", "-q").status == 0)
    try watcher.write([("Abigél", 1), ("Solaris", 1)])
    try await watcher.wait(for: ["Abigél", "Solaris"])
    #expect(try await desk.run("--notify", "stdout", "books.xml").outcome == Outcome(0))
    try await watcher.end()
    #expect(watcher.errors == [])
  }

  @Test func `A schedule that another run uses is waited for`() async throws {
    let watcher = try Watcher([("Abigél", 1)])
    try await watcher.wait(for: ["Abigél"])
    let lock = try await watcher.takeLock()
    let start = ShownClock.now
    try watcher.write([("Abigél", 1), ("Solaris", 1)])
    let told = try await watcher.wait { !watcher.errors.isEmpty }
    #expect(told >= start + 5, "not told at once")
    #expect(
      watcher.errors == ["check-loans: another run is using the schedule; waiting for it"])
    lock.release()
    try await watcher.wait(for: ["Abigél", "Solaris"])
    try await watcher.end()
    #expect(watcher.errors.count == 1)
  }

  @Test func `A schedule that is removed is made anew from all catalogues`()
    async throws
  {
    let watcher = try Watcher(["books.xml", "other.xml"]) { clock, desk in
      try desk.folder.write(clock.catalogue([("Abigél", 9)]), to: "books.xml")
      try desk.folder.write(clock.catalogue([("Dune", 1)]), to: "other.xml")
    }
    try await watcher.wait(for: ["Dune"])
    let lock = try await watcher.takeLock()
    try watcher.desk.folder.remove(Desk.state)
    lock.release()
    try watcher.write([("Dune", 1), ("Solaris", 9)], to: "other.xml")
    // That it was delivered is forgotten with the schedule.
    try await watcher.wait(for: ["Dune", "Dune"])
    #expect(
      try await watcher.desk.schedule().map(\.title).sorted() == ["Abigél", "Dune", "Solaris"])
    let second = try await watcher.takeLock()
    try watcher.desk.folder.write("this is no schedule", to: Desk.state)
    second.release()
    watcher.send(.hangUp)
    try await watcher.wait { !watcher.errors.isEmpty }
    try watcher.desk.folder.remove(Desk.state)
    watcher.send(.hangUp)
    try await watcher.wait(for: ["Dune", "Dune", "Dune"])
    try await watcher.end()
    #expect(watcher.errors.allSatisfy { $0.contains("is not a database; move it away") })
  }

  @Test func `It can be told to stop while another run uses the schedule`() async throws {
    let watcher = try Watcher([("Abigél", 1)])
    try await watcher.wait(for: ["Abigél"])
    let lock = try await watcher.takeLock()
    watcher.send(.hangUp)
    try await watcher.pass(seconds: 0.5)
    #expect(try await watcher.end().status == 0)
    lock.release()
  }

  @Test func `An action that no notification can have is told once`() async throws {
    let watcher = try Watcher([("Abigél", 1)], ["--action", "View=true", "books.xml"])
    try await watcher.wait(for: ["Abigél"])
    try await watcher.end()
    #expect(
      watcher.errors == ["check-loans: --action has no effect without --notify notify-send"])
  }

  // How it ends without being told to.

  @Test func `It ends when standard output fails`() async throws {
    let watcher = try Watcher([("Abigél", 1)], output: .file("/dev/full"))
    #expect(try await watcher.result().status == 74)
    #expect(watcher.errors.count == 1)
    #expect(try await watcher.desk.pending() == ["Abigél"])
  }

  @Test func `It ends when nobody reads standard output any more`() async throws {
    let watcher = try Watcher([("Abigél", 1)], output: .brokenPipe)
    #expect(try await watcher.result().status == 74)
    #expect(watcher.errors == [])
  }

  @Test(
    arguments: [
      ([], 64), (["-"], 64), (["books.xml", "--now", "2026-11-21"], 64),
      (["books.xml", "state-of-things"], 66), (["books.xml", "--time-zone", "Nowhere"], 78),
      (["books.xml", "--state", "/proc/x/s"], 73),
    ] as [([String], Int32)])
  func `It does not begin with what cannot work`(arguments: [String], status: Int32) async throws {
    let watcher = try Watcher([("Abigél", 1)], arguments) { desk in
      try desk.folder.makeDirectory("state-of-things")
    }
    #expect(try await watcher.result().status == status)
    #expect(watcher.lines == [])
  }

  @Test func `Without a catalogue it says how to name one`() async throws {
    let watcher = try Watcher([], [])
    _ = try await watcher.result()
    #expect(watcher.errors.first?.contains(" check-loans watch books.xml, or ") == true)
  }

  @Test func `A signal that was ignored when it began stays ignored`() async throws {
    let watcher = try Watcher(
      [], ["--verbose", "books.xml"],
      launcher: ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"])
    try await watcher.wait { watcher.errors.last?.contains("next check") == true }
    watcher.send(.interrupt)
    watcher.send(.hangUp)
    try await watcher.wait { watcher.reloads(of: "books.xml") == 2 }
    #expect(try await watcher.end().status == 0)
  }

  @Test(.enabled(if: isRoot, "only root can be somebody else, whose threads count alone"))
  func `An action for which there are no more threads is left out, and told once`() async throws {
    let watcher = try Watcher(
      ["--config", "settings.toml"],
      launcher: [
        "/usr/bin/setpriv", "--reuid", "65532", "--regid", "65532", "--clear-groups",
        "/usr/bin/prlimit", "--nproc=2",
      ]
    ) { clock, desk in
      try desk.folder.setPermissions(of: ".", 0o777)
      // While it waits, the second of the two may not be started.
      try desk.folder.write(
        program: """
          #!/bin/sh
          echo "$*" >> '\(desk.folder.path)/out'
          case "$*" in *--print-id*) echo 7; exec sleep 1000;; esac

          """, to: "notify-send")
      desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
      try desk.folder.write("catalogues = [\"books.xml\"]\n", to: "settings.toml")
      try desk.folder.write(clock.catalogue([("Abigél", 1)]), to: "books.xml")
      try desk.folder.write("", to: "out")
      for name in ["out", "books.xml", "settings.toml", "notify-send"] {
        try desk.folder.setPermissions(of: name, name == "out" ? 0o666 : 0o755)
      }
    }
    try await watcher.wait { watcher.lines.count == 1 }
    let settings = """
      catalogues = ["books.xml"]
      notify = ["notify-send"]
      action = "View=true"

      """
    try watcher.desk.folder.write(settings, to: "settings.toml")
    try await watcher.wait { watcher.lines.count == 2 }
    try await watcher.wait { !watcher.errors.isEmpty }
    try watcher.write([("Abigél", 1), ("Solaris", 1)])
    try await watcher.wait { watcher.lines.count == 3 }
    #expect(try await watcher.end().status == 0)
    #expect(
      watcher.errors == [
        """
        check-loans: the action "View" has no effect, because the system allows no more threads; end \
        other programs, or raise the limit with ulimit -u, or TasksMax= in a systemd unit
        """
      ])
    #expect(watcher.lines.dropFirst().allSatisfy { $0.contains("--action=open=View") })
    try await watcher.desk.expectNothingRunning()
  }

  @Test func `That more is to be told counts for events too once the file says so`() async throws {
    let watcher = try Watcher(["--config", "settings.toml"]) { clock, desk in
      try desk.folder.write("catalogues = [\"books.xml\"]\n", to: "settings.toml")
      try desk.folder.write(clock.catalogue([("Abigél", 1)]), to: "books.xml")
    }
    try await watcher.wait(for: ["Abigél"])
    #expect(watcher.errors == [])
    try watcher.desk.folder.write(
      "catalogues = [\"books.xml\"]\nverbose = true\n", to: "settings.toml")
    try await watcher.wait { watcher.reloads(of: "books.xml") == 1 }
    try await watcher.end()
  }

  private static let limited = [
    "/usr/bin/unshare", "-U", "-r", "sh", "-c",
    "echo \"$0\" > /proc/sys/user/max_inotify_watches; exec \"$@\"",
  ]

  private static func canLimitWatches() async -> Bool {
    let command = Command(
      limited[0], Array(limited.dropFirst()) + ["8", "true"],
      environment: ["PATH": "/bin:/usr/bin"],
      directory: "/")
    let result = try? await command.run()
    return result?.status == 0 && result?.errorText == ""
  }

  @Test(.enabled("needs a user namespace of its own") { await canLimitWatches() })
  func `It does not begin where the system lets nothing be watched`() async throws {
    let watcher = try Watcher([], launcher: Self.limited + ["1"])
    #expect(try await watcher.result().status == 71)
    #expect(
      watcher.errors == [
        """
        check-loans: the catalogues cannot be watched: too many files are watched already \
        (end other programs that watch files, or raise the limits in /proc/sys/fs/inotify)
        """
      ])
  }

  @Test(.enabled("needs a user namespace of its own") { await canLimitWatches() })
  func `Where the system lets no more be watched later, that is told once and it goes on`()
    async throws
  {
    let depth = try Desk().folder.path.split(separator: "/").count
    // The directories on the way to the catalogue, and to the settings file and the time zone.
    let watcher = try Watcher(
      [("Abigél", 1)], launcher: Self.limited + ["\(depth + 3)"])
    try await watcher.wait(for: ["Abigél"])
    let folder = watcher.desk.folder
    for name in ["a", "a/b", "a/b/c", "a/b/c/d"] { try folder.makeDirectory(name) }
    try watcher.write([("Abigél", 1), ("Solaris", 1)], to: "a/b/c/d/books.xml")
    #expect(
      try await watcher.desk.shell("ln -s a/b/c/d/books.xml l; mv -T l books.xml").status == 0)
    try await watcher.wait(for: ["Abigél", "Solaris"])
    try await watcher.wait { watcher.errors.count == 1 }
    #expect(watcher.errors[0].hasPrefix("check-loans: some changes are missed: too many"))
    watcher.send(.hangUp)
    try watcher.write([("Abigél", 1), ("Dune", 1)], to: "new")
    #expect(try await watcher.desk.shell("mv new books.xml").status == 0)
    try await watcher.wait(for: ["Abigél", "Solaris", "Dune"])
    try await watcher.end()
    #expect(watcher.errors.count == 1)
  }
}

/// `watch` with the real notify-send on a private session bus.
@Suite(
  .enabled(
    if: DesktopSession.isAvailable,
    "needs dbus-daemon, libglib2.0-bin, libnotify-bin and python3-dbusmock"))
struct WatchDesktopTests {
  private func watcher(
    _ session: DesktopSession, _ books: [(title: String, days: Int)], at time: String = "12:00:00",
    _ arguments: [String]
  ) throws -> Watcher {
    try Watcher(
      books, at: time, ["--notify", "notify-send"] + arguments + ["books.xml"],
      variables: session.environment.filter { $0.key == "DBUS_SESSION_BUS_ADDRESS" }
    ) { desk in
      try desk.folder.write(
        program: """
          #!/bin/sh
          echo "$1 $CHECK_LOANS_TITLE $CHECK_LOANS_KIND $TZ" >> '\(desk.folder.path)/told'

          """, to: "tell")
      desk.environment["PATH"] = "\(desk.folder.path):/usr/bin:/bin"
    }
  }

  private func wait(
    for count: Int, _ session: DesktopSession
  ) async throws -> [DesktopSession.Notification] {
    for _ in 0..<1_200 {
      let notifications = try await session.notifications()
      if notifications.count >= count { return notifications }
      try await Task.sleep(for: .milliseconds(50))
    }
    return try await session.notifications()
  }

  @Test func `Notifications come within the second of their moments`() async throws {
    for lead in [8, 20, 60] {
      // Another one each time: what came too late for the last has been shown there.
      let session = try await DesktopSession(.recording)
      let time = try Watcher.time(86_400 - lead)
      let watcher = try watcher(session, [("Abigél", 0), ("Solaris", 2)], at: time, ["--verbose"])
      let midnight = watcher.clock.instant(of: 86_400)
      guard try await watcher.isReady(before: midnight) else { continue }
      _ = try await wait(for: 3, session)
      #expect(
        try await session.notifications().map(\.summary) == [
          "“Abigél” is due today", "“Abigél” is 1 day overdue", "“Solaris” is due tomorrow",
        ])
      #expect(session.instants[0] < midnight)
      #expect(session.instants[1] >= midnight)
      #expect(session.instants[2] < midnight + 1)
      #expect(try await watcher.end().status == 0)
      return
    }
    Issue.record("the machine is too busy")
  }

  @Test func `A click on the action runs the command, and nothing blocks another notice`()
    async throws
  {
    let session = try await DesktopSession(.recording)
    let watcher = try watcher(
      session, [("Abigél", 1), ("Solaris", -1)], ["--action", "View=tell 'a b'"])
    #expect(
      try await wait(for: 2, session).map(\.actions) == [["open", "View"], ["open", "View"]])
    // Both are still open.
    try watcher.write([("Abigél", 1), ("Solaris", -1), ("Dune", 1)])
    #expect(try await wait(for: 3, session).count == 3)
    let folder = watcher.desk.folder
    #expect(!folder.contains("told"))
    try await session.press("open", ofNotification: 2)
    try await watcher.wait { folder.contents(of: "told").hasSuffix("\n") }
    #expect(folder.contents(of: "told") == "a b Abigél reminder \(watcher.clock.zone)\n")
    #expect(try await watcher.end().status == 0)
    #expect(watcher.errors == [])
    #expect(
      Processes.mentioning(session.runtimeDirectories).values.allSatisfy {
        !$0.contains("notify-send")
      })
    #expect(folder.contents(of: "told").split(separator: "\n").count == 1)
  }

  @Test func `A click on a button snoozes the loan, or says that it is returned`() async throws {
    let session = try await DesktopSession(.recording)
    let watcher = try watcher(
      session, [("Abigél", 1), ("Solaris", -1)], ["--buttons", "snooze,returned"])
    let buttons = ["snooze", "Remind me tomorrow", "returned", "I have returned it"]
    #expect(try await wait(for: 2, session).map(\.actions) == [buttons, buttons])
    func reasons() async throws -> [String: String] {
      let list = try JSON(
        parsing: await watcher.desk.run("silence", "list", "--format", "json").text)
      return Dictionary(
        uniqueKeysWithValues: list.silences.elements.map {
          ($0.title.text ?? "", $0.reason.text ?? "")
        })
    }
    try await session.press("returned", ofNotification: 1)
    try await session.press("snooze", ofNotification: 2)
    for _ in 0..<600 where try await reasons().count < 2 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try await reasons() == ["Solaris": "reported as returned", "Abigél": "snoozed"])
    #expect(try await watcher.end().status == 0)
    #expect(watcher.errors == [])
  }

  @Test func `A click on the button of a digest snoozes all of its loans`() async throws {
    let session = try await DesktopSession(.recording)
    let watcher = try watcher(
      session, (1...6).map { ("Book \($0)", 1) }, ["--buttons", "snooze,returned"])
    #expect(try await wait(for: 1, session).map(\.actions) == [["snooze", "Remind me tomorrow"]])
    try await session.press("snooze", ofNotification: 1)
    for _ in 0..<600 where try await watcher.desk.run("silence").lines.count < 6 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try await watcher.desk.run("silence").lines.count == 6)
    #expect(try await watcher.end().status == 0)
  }

  @Test(arguments: ["", "later", "snooze,", "snooze,snooze"])
  func `Buttons that there are not are wrong usage`(buttons: String) async throws {
    let watcher = try Watcher([], ["--buttons", buttons, "books.xml"])
    #expect(try await watcher.result().status == 64)
  }

  @Test(arguments: ["View", "=x", "View=", "View='x"])
  func `An action that makes no sense is wrong usage`(action: String) async throws {
    let watcher = try Watcher([], ["--action", action, "books.xml"])
    #expect(try await watcher.result().status == 64)
    #expect(watcher.errors.first?.contains("expected LABEL=COMMAND") == true)
  }
}

extension Watcher {
  /// A watcher of other catalogues than `books.xml`.
  convenience init(
    _ arguments: [String], launcher: [String] = [],
    prepare: (ShownClock, inout Desk) throws -> Void
  ) throws {
    let clock = try #require(ShownClock(showing: "12:00:00"))
    try self.init([], arguments, launcher: launcher, prepare: { desk in try prepare(clock, &desk) })
  }

  /// Takes the schedule's lock once it lets go of it.
  func takeLock() async throws -> HeldLock {
    let path = "\(desk.folder.path)/\(Desk.state).lock"
    var lock: HeldLock?
    try await wait {
      lock = try? HeldLock(path)
      return lock != nil
    }
    return try #require(lock)
  }

  /// What it has told on standard error so far apart from the lines of `--verbose`.
  var complaints: [String] {
    let verbose = [
      ": reloaded: ", "cancelled the prior notices of ", "scheduled the notices of ",
      "delivered through ", "next check at ", "the time zone is now ", "stopping",
      ": cannot be used at the moment",
    ]
    return errors.filter { line in !verbose.contains { line.contains($0) } }
  }

  /// Has everything read again, and waits until that is done.
  func reloadAll(_ name: String = "books.xml") async throws {
    let count = reloads(of: name)
    send(.hangUp)
    try await wait { self.reloads(of: name) > count }
  }

  /// How many times a catalogue was found to be of no use, by the lines of `--verbose`.
  func failedLooks(at name: String) -> Int {
    errors.count { $0 == "check-loans: \(name): cannot be used at the moment" }
  }

  /// How many times a catalogue was reloaded, by the lines of `--verbose`.
  func reloads(of name: String) -> Int {
    errors.count { $0.hasPrefix("check-loans: \(desk.folder.path)/\(name): reloaded: ") }
  }
}
