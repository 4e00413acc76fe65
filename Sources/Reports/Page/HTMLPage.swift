import Languages
import Loans

/// The document around a report: one file that fetches nothing and runs nothing but its own script.
struct HTMLPage {
  let title: String
  let language: Language
  /// The seconds until a browser reads it again, if it is to.
  let refresh: Int?
  /// Whether it has something to search and sort.
  var hasScript = false
  /// The class of its body.
  var kind = ""

  private static let style = String(decoding: PackageResources.page_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.page_js, as: UTF8.self)

  /// The beginning of the document.
  var start: String {
    """
    <!DOCTYPE html>
    <html lang="\(language.tag)">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(policy)">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    \(refresh.map { "<meta http-equiv=\"refresh\" content=\"\($0)\">\n" } ?? "")\
    <title>\(title.escapedAsMarkup)</title>
    <style>\(Self.style)</style>
    </head>
    <body\(kind.isEmpty ? "" : " class=\"\(kind)\"")>

    """
  }

  /// The end of the document.
  var end: String {
    (hasScript ? "<script>\(Self.script)</script>\n" : "") + "</body>\n</html>\n"
  }

  /// The style and the script that the document may have, each known by its digest.
  ///
  /// - SeeAlso: Content Security Policy Level 3, section 8.
  private var policy: String {
    let script = hasScript ? " script-src 'sha256-\(SHA256.base64(Self.script.utf8))';" : ""
    return """
      default-src 'none'; style-src 'sha256-\(SHA256.base64(Self.style.utf8))';\(script) \
      base-uri 'none'; form-action 'none'
      """
  }
}
