internal import Glibc

/// The process has no descriptors left for a child.
struct DescriptorShortage: Error {
  /// Fails if there are fewer than a child needs.
  ///
  /// To be called before one is started, because swift-subprocess 1.0.2 traps when only some of
  /// its pipes could be made.
  ///
  /// - SeeAlso: `open(2)`.
  static func check() throws(DescriptorShortage) {
    // Three pipes, the process, /dev/null, and once two epoll(7) with their eventfd(2).
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    for _ in 0..<16 {
      let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw DescriptorShortage() }
      descriptors.append(descriptor)
    }
  }

  /// What is wrong, and what to do.
  static let words = "because too many files are open; raise the limit, ulimit -n"
}
