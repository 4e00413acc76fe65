import Languages
import Testing

@Suite struct LanguageTests {
  @Test func `English has a tag of its own`() {
    #expect(Language.english.tag == "en")
  }
}
