/// Why a program could not be started.
enum StartFailure: Error {
  /// The system cannot give what it takes: `because too many files are open; …`.
  case shortage(String)
  /// It is not there or may not be run; or it is a script of a program that is not there.
  case notFound
  /// Anything else, in a few words.
  case other(String)
}
