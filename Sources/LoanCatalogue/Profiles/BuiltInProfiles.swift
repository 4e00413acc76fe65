internal import Loans

/// The profiles that come with the library.
public enum BuiltInProfiles {
  /// Their names with their XML forms, in the order in which forms are tried.
  private static let documents: [(name: String, bytes: [UInt8])] = [
    ("native", PackageResources.native_xml),
    ("ncip2", PackageResources.ncip2_xml),
    ("koha-ilsdi", PackageResources.koha_ilsdi_xml),
    ("alma", PackageResources.alma_xml),
    ("tellico", PackageResources.tellico_xml),
    ("opds", PackageResources.opds_xml),
    ("aleph", PackageResources.aleph_xml),
    ("voyager", PackageResources.voyager_xml),
    ("datacrow", PackageResources.datacrow_xml),
    ("ncip1", PackageResources.ncip1_xml),
    ("gcstar", PackageResources.gcstar_xml),
    ("evergreen", PackageResources.evergreen_xml),
    ("marcxml", PackageResources.marcxml_xml),
    ("mariadb", PackageResources.mariadb_xml),
    ("postgresql", PackageResources.postgresql_xml),
  ]

  /// All names, the tool's own form first.
  public static var names: [String] { documents.map(\.name) }

  /// The XML form of a profile, or `nil` if none of ``names`` is this one.
  public static func document(named name: String) -> [UInt8]? {
    documents.first { $0.name == name }?.bytes
  }

  /// A profile, or `nil` if none of ``names`` is this one.
  public static func profile(named name: String) -> CatalogueProfile? {
    if name == CatalogueProfile.native.name { return .native }
    return names.contains(name) ? foreign.first { $0.name == name } : nil
  }

  /// The forms of other programs, in the order in which they are tried; read once, when the first
  /// document that is not of the tool's own form is met.
  static let foreign: [CatalogueProfile] =
    documents.dropFirst().map { read($0.bytes) } + [soap]

  /// The envelope in which some servers send their answers; only used if the answer inside is not
  /// in a known form.
  private static let soap: CatalogueProfile = {
    var profile = CatalogueProfile(name: "soap", title: "a SOAP envelope")
    profile.namespaces.own = FormDetection.envelopeNamespaces
    let context = ProfileExpression.Context(profile.namespaces)
    func expression(_ text: String) -> ProfileExpression {
      do throws(XPathFailure) {
        return try ProfileExpression(text, at: SourceLocation(line: 1, column: 1), in: context)
      } catch {
        preconditionFailure(error.message)
      }
    }
    profile.document.signs = [expression("/Envelope")]
    profile.document.problems = ["faultstring", "Reason/Text"].map {
      CatalogueProfile.Problem(path: expression("/Envelope/Body/Fault/\($0)"))
    }
    return profile
  }()

  private static func read(_ bytes: [UInt8]) -> CatalogueProfile {
    do throws(CatalogueProfile.Fault) {
      return try CatalogueProfile(reading: bytes)
    } catch {
      preconditionFailure("\(error.location): \(error.message)")
    }
  }
}
