import TestSupport
import Testing

/// What the command does with catalogues in a gzip file or a ZIP archive.
struct PackedCatalogueTests {
  private func desk() throws -> (Desk, [UInt8]) { (try Desk(), try File.bytes(of: Desk.books)) }

  @Test func `A packed catalogue is read by its first bytes, whatever its name is`() async throws {
    let (desk, books) = try desk()
    let plain = try await desk.run("--state", "none", "books.xml")
    try desk.folder.write(bytes: gzip(books), to: "books.xml.gz")
    try desk.folder.write(bytes: zip(("tellico.xml", books)), to: "books.tc")
    try desk.folder.write(bytes: books, to: "plain.tc")
    try desk.folder.write(bytes: gzip(books), to: "gzip.xml")
    for name in ["books.xml.gz", "books.tc", "plain.tc", "gzip.xml"] {
      let result = try await desk.run("--state", "none", name)
      #expect(result.lines == plain.lines)
      #expect(result.status == 0)
    }
  }

  @Test func `So it is through standard input, from a pipe and from a file`() async throws {
    let (desk, books) = try desk()
    let plain = try await desk.run("--state", "none", "books.xml")
    for packed in [gzip(books), zip(("tellico.xml", books))] {
      try desk.folder.write(bytes: packed, to: "packed")
      for line in [#"cat packed | "$0" --state none -"#, #""$0" --state none - < packed"#] {
        #expect(try await desk.shell("\(line) --now 2026-11-21T07:00").lines == plain.lines)
      }
      for line in [#"cat packed | "$0" validate -"#, #""$0" validate - < packed"#] {
        #expect(
          try await desk.shell(line).errorText
            == "check-loans: 1 file, 18 books, 14 loans: no problems\n")
      }
    }
  }

  @Test func `Without libarchive an archive is refused with what to install, a gzip file is read`()
    async throws
  {
    let (desk, books) = try desk()
    // A library of that name that is none stands in its way.
    try desk.folder.makeDirectory("lib")
    try desk.folder.write("", to: "lib/libarchive.so.13")
    try desk.folder.write(bytes: zip(("tellico.xml", books)), to: "books.tc")
    try desk.folder.write(bytes: gzip(books), to: "books.xml.gz")
    let variables = ["LD_LIBRARY_PATH": "\(desk.folder.path)/lib"]
    let result = try await desk.run("--state", "none", "books.tc", variables: variables)
    #expect(result.status == 65)
    #expect(
      result.errorLines.first == """
        books.tc:1:1: error: to unpack this ZIP archive, libarchive.so.13 is needed, which is not \
        installed (Debian: libarchive13); install it, or unpack the file first [not-a-catalogue]
        """)
    #expect(try await desk.run("--state", "none", "books.xml.gz", variables: variables).status == 0)
  }

  @Test func `A pipe that somebody has made non-blocking is waited for`() async throws {
    let (desk, books) = try desk()
    try desk.folder.write(bytes: gzip(books), to: "packed")
    let result = try await desk.shell(
      """
      (head -c 100 packed; sleep 0.5; tail -c +101 packed) | (
        /usr/bin/python3 -c 'import os; os.set_blocking(0, False)'
        "$0" validate -)
      """)
    #expect(result.errorText == "check-loans: 1 file, 18 books, 14 loans: no problems\n")
  }

  @Test func `A catalogue that was cut off leaves the reminders as they were`() async throws {
    let (desk, books) = try desk()
    let packed = gzip(books)
    try desk.folder.write(bytes: packed, to: "books.xml.gz")
    try await desk.run("books.xml.gz")
    let pending = try await desk.pending()
    for count in [packed.count - 1, packed.count - 8, packed.count / 2] {
      try desk.folder.write(bytes: Array(packed[..<count]), to: "books.xml.gz")
      let result = try await desk.run("--allow-empty", "books.xml.gz")
      #expect(result.status == 65)
      #expect(result.errorText.contains("error: this gzip file is cut off"))
      #expect(try await desk.pending() == pending)
    }
  }

  @Test func `Findings have their lines, also at a terminal`() async throws {
    let desk = try Desk(now: nil)
    let book = "<book><title>A</title><expiration>2026-11-22</expiration></book>"
    let text = "<books>\n \(book)\n</books>"
    try desk.folder.write(bytes: gzip(Array(text.utf8)), to: "books.xml.gz")
    let result = try await desk.run("validate", "--color", "always", "books.xml.gz")
    #expect(result.text.contains("books.xml.gz:2:36"))
    #expect(result.text.contains("<expiration>2026-11-22</expiration>"))
    #expect(result.errorText.hasSuffix("1 left out: 1 error, 0 warnings\n"))
  }

  @Test(arguments: [[], ["--dry-run"]])
  func `A packed catalogue is not fixed, and stays as it is`(options: [String]) async throws {
    let desk = try Desk(now: nil)
    let text = "<books><book><title>A</title><expiration>2026-11-22</expiration></book></books>"
    let packed = gzip(Array(text.utf8))
    try desk.folder.write(bytes: packed, to: "books.xml.gz")
    let result = try await desk.run(["validate", "--fix", "books.xml.gz"] + options)
    #expect(result.status == 64)
    #expect(
      result.errorLines.contains(
        """
        check-loans: books.xml.gz: a compressed catalogue cannot be fixed; unpack it first (gunzip, \
        unzip)
        """))
    #expect(try File.bytes(of: "\(desk.folder.path)/books.xml.gz") == packed)
    try desk.folder.write(bytes: gzip(try File.bytes(of: Desk.books)), to: "books.xml.gz")
    #expect(try await desk.run(["validate", "--fix", "books.xml.gz"] + options).status == 0)
  }
}
