internal import Dispatch
internal import Loans
internal import System

/// The user's own program, started by a button.
struct ActionCommand: Sendable {
  /// Its path, or its name in PATH.
  var program: String
  /// Its arguments, without the name.
  var arguments: [String]
  /// Its whole environment.
  var environment: [String: String]

  /// Runs it to its end, however late; it outlives this process.
  ///
  /// - Returns: one line if it could not be run, or failed.
  func run() async -> String? {
    do throws(StartFailure) {
      let child = try StartedChild(
        program, arguments, environment: environment, outlivesUs: true)
      let ending = await withCheckedContinuation { continuation in
        DispatchQueue(label: "action").async { continuation.resume(returning: child.reap()) }
      }
      return ending.isSuccess ? nil : "\(program.visible) \(ending.words)"
    } catch {
      return "\(program.visible) \(error.words)"
    }
  }
}

extension [String: String] {
  /// The variables that a program can be given, and those that describe a notice.
  func describing(_ notice: Notice, count: Int) -> [String: String] {
    let loan = notice.loan
    let described: [(String, String?)] = [
      ("ID", loan.id), ("TITLE", loan.title), ("AUTHOR", loan.author), ("ISBN", loan.isbn),
      ("BARCODE", loan.barcode), ("BORROWER", loan.borrower), ("EMAIL", loan.email),
      ("EXPIRATION", loan.expiration.description), ("KIND", notice.kind.rawValue),
      ("CATALOGUE", notice.catalogue), ("LIBRARY", notice.library), ("COUNT", String(count)),
    ]
    // A shell passes names on that begin with a digit, or have none; no program expects them.
    var variables = filter { name, value in
      name.first.map { !$0.isNumber } == true && !"\(name)\(value)".utf8.contains(0)
    }
    for (name, value) in described {
      variables["CHECK_LOANS_\(name)"] = value?.asVariable
    }
    variables["PATH"] = variables["PATH"] ?? ProgramSearch.standardPath
    return variables
  }
}

extension String {
  /// The text without NUL, which would end it, and short enough for execve(2), which allows 128 KB.
  fileprivate var asVariable: String {
    let text = utf8.contains(0) ? String(filter { $0 != "\0" }) : self
    return text.shortened(toBytes: 32_768)
  }
}
