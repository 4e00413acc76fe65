internal import Loans
internal import Synchronization

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
    return document(named: name).map(read)
  }

  /// The forms of other programs whose documents may have a first element of this name, in the order in which
  /// they are tried.
  ///
  /// To read all of them would take as long as to read a thousand loans.
  static func foreign(mayBeginWith root: String) -> [CatalogueProfile] {
    if let profiles = known.withLock({ $0[root] }) { return profiles }
    let possible = documents.dropFirst().map(\.bytes).filter { mayName(root, $0) }
    let profiles = (possible.map(read) + [soap]).filter { $0.mayBegin(with: root) }
    known.withLock { $0[root] = $0.count < 1_000 ? profiles : nil }
    return profiles
  }

  /// The profiles that have been read, by first elements.
  private static let known = Mutex<[String: [CatalogueProfile]]>([:])

  /// Whether a path in a profile's document may lead to elements of this name, or of any.
  private static func mayName(_ name: String, _ document: [UInt8]) -> Bool {
    document.indices.contains { index in
      let byte = document[index]
      guard byte == UInt8(ascii: "/") || byte == UInt8(ascii: ":") else { return false }
      let rest = document[(index + 1)...]
      return rest.first == UInt8(ascii: "*") || rest.starts(with: name.utf8)
    }
  }

  /// The envelope in which some servers send their answers; only used if the answer inside is not
  /// in a known form.
  static let soap: CatalogueProfile = {
    var profile = CatalogueProfile(name: "soap", title: "a SOAP envelope")
    profile.namespaces.own = [
      "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
    ]
    let context = ProfileExpression.Context(profile.namespaces)
    do throws(XPathFailure) {
      profile.document.signs = [try context.expression("/Envelope")]
      for path in ["faultstring", "Reason/Text"] {
        let path = try context.expression("/Envelope/Body/Fault/\(path)")
        profile.document.problems.append(CatalogueProfile.Problem(path: path))
      }
    } catch {
      preconditionFailure(error.message)
    }
    return profile
  }()

  private static func read(_ document: [UInt8]) -> CatalogueProfile {
    do throws(CatalogueProfile.Fault) {
      return try CatalogueProfile(reading: document)
    } catch {
      preconditionFailure("\(error.location): \(error.message)")
    }
  }
}
