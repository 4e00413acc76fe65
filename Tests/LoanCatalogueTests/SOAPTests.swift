import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// Answers that come in a SOAP envelope.
struct SOAPTests {
  /// Documents that can be a part of another one as they are.
  private static let documents = SystemDocument.all.filter { document in
    guard [.loans, .errorAnswer, .unknownBorrower].contains(document.kind),
      document.profile != "native", document.text.contains("<"),
      !document.text.contains("<!DOCTYPE"),
      !document.text.contains("Envelope")
    else { return false }
    return document.text.hasPrefix("<") && !document.text.contains("encoding=\"ISO")
      && !document.text.contains("encoding=\"windows")
  }
  private static let namespaces = [
    "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
  ]

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A document in an envelope, on the same lines.
  private func envelope(
    _ text: String, in namespace: String = namespaces[0], wrapper: String? = nil
  ) -> String {
    let end = text.hasPrefix("<?xml") ? text.firstRange(of: "?>")?.upperBound : nil
    let (declaration, document) = end.map { (text[..<$0], text[$0...]) } ?? ("", text[...])
    let (start, stop) =
      wrapper.map { ("<w:\($0) xmlns:w='urn:w'><return>", "</return></w:\($0)>") } ?? ("", "")
    return """
      \(declaration)<s:Envelope xmlns:s="\(namespace)"><s:Header><books/><s:Body/></s:Header>\
      <s:Body>\(start)\(document)\(stop)</s:Body></s:Envelope>
      """
  }

  @Test(arguments: documents)
  func `A document is read in an envelope as it is by itself`(document: SystemDocument) throws {
    let plain = try document.reader.reading(ofText: document.text, in: folder)
    for namespace in Self.namespaces {
      for wrapper in [nil, "GetLoansResponse"] {
        let text = envelope(document.text, in: namespace, wrapper: wrapper)
        let reading = try document.reader.reading(ofText: text, in: folder)
        #expect(reading.records.map(\.loan) == plain.records.map(\.loan))
        #expect(reading.records.map(\.location.line) == plain.records.map(\.location.line))
        #expect(reading.diagnostics.map(\.message) == plain.diagnostics.map(\.message))
        #expect(reading.summary == plain.summary)
      }
    }
  }

  @Test(arguments: documents.filter { $0.text.contains(" xmlns") })
  func `Namespaces may be declared by the envelope`(document: SystemDocument) throws {
    let plain = try document.reader.reading(ofText: document.text, in: folder)
    let names = document.text.matches(of: #/\sxmlns(:[\w.\-]+)?=("[^"]*"|'[^']*')/#).map(\.output.0)
    guard Set(names.map { $0.prefix { $0 != "=" } }).count == names.count else { return }
    let text = names.reduce(document.text) { $0.replacing($1, with: "") }
    let moved = envelope(text).replacing("<s:Envelope", with: "<s:Envelope\(names.joined())")
    let reading = try document.reader.reading(ofText: moved, in: folder)
    #expect(reading.records.map(\.loan) == plain.records.map(\.loan))
    #expect(reading.summary == plain.summary)
  }

  @Test func `A profile that somebody names is that of the document in the envelope`() throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="parish"><record path="/list/item"/><title path="@t"/>
        <expiration path="@back" form="yyyy-MM-dd"/></profile>
        """.utf8))
    let text = "<list><item t='A' back='2026-12-01'/></list>"
    let reader = CatalogueReader(profile: profile)
    #expect(try reader.reading(ofText: envelope(text), in: folder).titles == ["A"])
  }

  @Test(arguments: ["//item", "/*/item", "/descendant::item", "/list/item | /none"])
  func `The paths of a profile begin inside of the envelope, wherever they lead`(
    path: String
  ) throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="far"><record path="\(path)"/><title path="@t"/>
        <expiration path="@back" form="yyyy-MM-dd"/></profile>
        """.utf8))
    let text = envelope("<list><item t='A' back='2026-12-01'/></list>").replacing(
      "<books/>", with: "<x><item t='B' back='2026-12-01'/></x>")
    #expect(try CatalogueReader(profile: profile).reading(ofText: text, in: folder).titles == ["A"])
  }

  @Test(arguments: [nil, CatalogueProfile.native])
  func `The tool's own form is refused in an envelope, where nobody writes it`(
    profile: CatalogueProfile?
  ) throws {
    let books = "<books><book><title>B</title><expiration>2026.12.01</expiration></book></books>"
    let reading = try CatalogueReader(profile: profile).reading(ofText: envelope(books))
    #expect(reading.diagnostics.map(\.code) == [.noLoans])
    #expect(reading.records == [])
    #expect(!reading.summary.isKnownForm)
  }

  @Test func `A profile that begins with the envelope is applied to it`() throws {
    let profile = try CatalogueProfile(
      reading: Array(
        """
        <profile name="own" namespace="\(Self.namespaces[0])">
        <record path="/Envelope/Body/list/item"/><title path="@t"/>
        <expiration path="@back" form="yyyy-MM-dd"/></profile>
        """.utf8))
    let text = envelope("<list><item t='A' back='2026-12-01'/></list>")
    #expect(try CatalogueReader(profile: profile).reading(ofText: text, in: folder).titles == ["A"])
  }

  @Test func `A second document in an envelope is never left out silently`() throws {
    let list = "<item_loan><title>B</title><due_date>2026-12-01</due_date></item_loan>"
    let text =
      "<s:Envelope xmlns:s='\(Self.namespaces[0])'><s:Body>\(list)\n\(list)</s:Body></s:Envelope>"
    let reading = try CatalogueReader().reading(ofText: text, in: folder)
    #expect(reading.titles == ["B", "B"])
    #expect(reading.summary.isComplete)
  }

  @Test func `An envelope that is cut off is not complete`() throws {
    let text = envelope("<books><book><title>B</title></book></books>")
    for count in stride(from: 1, to: text.utf8.count, by: 1) {
      let reading = try CatalogueReader().reading(ofText: String(text.prefix(count)), in: folder)
      #expect(!reading.summary.isComplete, "\(count)")
    }
  }

  @Test func `What is in no known form is told`() throws {
    let reading = try CatalogueReader().reading(ofText: envelope("<a><b/></a>"), in: folder)
    #expect(
      reading.diagnostics.map(\.message) == [
        """
        no loan was found: this is a SOAP envelope, and its content is not in a known \
        format; check-loans profiles lists the known ones, and --profile FILE.xml describes another
        """
      ])
  }
}
