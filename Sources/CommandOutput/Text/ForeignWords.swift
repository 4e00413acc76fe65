package import Languages
import LoanCatalogue

extension [String] {
  /// `; read as alma` for the profiles of catalogues, unless every one is of the tool's own form.
  package func foreignWords(in language: Language = .english) -> String {
    if allSatisfy({ $0 == CatalogueProfile.native.name }) { return "" }
    let names = indices.filter { firstIndex(of: self[$0]) == $0 }.map { self[$0] }
    return language.text(.readAs, ["profiles": names.joined(separator: ", ")])
  }
}
