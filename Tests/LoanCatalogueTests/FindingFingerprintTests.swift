import CatalogueProperties
import LoanCatalogue
import Loans
import TestSupport
import Testing

/// The numbers by which a CI system knows a finding again.
struct FindingFingerprintTests {
  private func prints(_ text: String) throws -> [UInt64] {
    let reading = try CatalogueReader(rules: .all).reading(
      ofText: "<books>\(text)</books>")
    let prints = reading.diagnostics.map(\.fingerprint)
    #expect(Set(prints).count == prints.count)
    return prints
  }

  private let date = "<expiration>2026.12.01</expiration>"
  private let book = "<book id='a'><title>T</title><expiration>x</expiration></book>"

  @Test func `It stays where lines and other books come before`() throws {
    let print = try prints(book)
    #expect(print.count == 1 && print != [0])
    #expect(try prints("\n\n<!-- new -->\n  \(book)") == print)
    #expect(
      try prints("<book id='b'><title>T2</title><expiration>y</expiration></book>\(book)").last
        == print.first)
  }

  @Test func `It stays where the value changes and is still wrong`() throws {
    #expect(
      try prints(book)
        == prints("<book id='a'><title>T</title><expiration>2026-1</expiration></book>"))
  }

  @Test func `It is another one for another book, another code, another place in the book`() throws
  {
    var all: Set<UInt64> = []
    for id in ["a", "b"] {
      for inner in ["<expiration>x</expiration>", "<expiration/>", "<Isbn/>\(date)"] {
        all.formUnion(try prints("<book id='\(id)'><title>T</title>\(inner)</book>"))
      }
    }
    #expect(all.count == 6)
    #expect(try prints("<book id='a'><title>T</title><Isbn/><Isbn/>\(date)</book>").count == 2)
  }

  @Test func `Books without id are known by their barcode, or by all that is known of them`() throws
  {
    let barcode = "<book><barcode>7</barcode><title>T</title><expiration>x</expiration></book>"
    let plain = "<book><title>U</title><author>A</author><expiration>x</expiration></book>"
    let both = try prints(barcode + plain)
    #expect(try prints(plain + barcode) == both.reversed())
  }

  @Test func `Books alike get different ones all the same`() throws {
    let alike = "<book><title>U</title><expiration>x</expiration></book>"
    #expect(try prints(alike + alike + alike).count == 3)
    #expect(try prints(book + book).count == 3)
  }

  @Test func `What belongs to no book is counted`() throws {
    let book = "<book><title>T</title>\(date)</book>"
    #expect(try prints("<expiration/><expiration/><BOOK/>\(book)").count == 3)
  }
}
