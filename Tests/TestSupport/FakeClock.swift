/// The clock as the command sees it.
package enum FakeClock {
  package static let library = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1",
  ].first(where: File.exists)

  /// Whether libfaketime is installed.
  package static var canBeSet: Bool { library != nil }

  /// The environment in which the clock stands still at an instant, in seconds since 1970.
  package static func set(to instant: Int) -> [String: String] {
    ["LD_PRELOAD": library ?? "", "FAKETIME": "\(instant)", "FAKETIME_FMT": "%s"]
  }
}
