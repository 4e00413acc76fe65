import Glibc
import Loans
import Testing

@testable import LoanCatalogue

struct NativeNamesTests {
  /// A start tag whose name is in memory that stays, as libxml2's dictionary has it.
  private static func tag(_ name: String) -> StartTag {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in (Array(name.utf8) + [0]).enumerated() { unsafe copy[index] = byte }
    return unsafe StartTag(
      name: copy, prefix: nil, namespace: nil,
      attributes: UnsafeBufferPointer(start: nil, count: 0))
  }

  @Test(arguments: LoanField.allCases.filter { $0 != .id })
  func `Each field has an element of its name`(field: LoanField) {
    var names = NativeNames()
    #expect(unsafe names.noteRoot(Self.tag("books")))
    #expect(unsafe names.element(Self.tag("\(field)")) == .field(field))
    let misspelt = "\(field)".uppercased()
    #expect(unsafe names.element(Self.tag(misspelt)) == .misspelt(field))
  }

  @Test func `The meaning of a name is worked out once, if there are not hundreds`() {
    var names = NativeNames()
    #expect(unsafe names.noteRoot(Self.tag("books")))
    let tags = unsafe (0..<200).map { unsafe Self.tag("z\($0)") }
    for isNew in [true, false] {
      names.hasMissed = false
      for index in unsafe tags.indices {
        #expect(unsafe names.element(tags[index]) == .unknown)
      }
      #expect(names.hasMissed == isNew)
    }
  }

  @Test(arguments: [
    ("<books>", "books"), ("<Books/>", "Books"), ("<b:books\nxmlns:b='x'>", "books"),
    ("<?xml version='1.0'?>\n<!-- <x> -->\n<?y?><NCIPMessage>", "NCIPMessage"), ("<books", "books"),
    ("\u{FEFF}<books>", "books"), ("\n <books>", "books"),
  ])
  func `The root's name is read from the bytes`(text: String, name: String) {
    #expect(DocumentOpening.rootName(Array(text.utf8)[...]) == name)
  }

  @Test(arguments: ["", "x<books>", "<!DOCTYPE books><books>", "<!-- <books>", "<\0b\0>"])
  func `It is not guessed`(text: String) {
    #expect(DocumentOpening.rootName(Array(text.utf8)[...]) != "books")
  }
}
