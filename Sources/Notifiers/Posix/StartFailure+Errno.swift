internal import Glibc
internal import Loans

extension StartFailure {
  /// What a number of errno(3) means where a program is started.
  init(_ number: Int32) {
    switch number {
    case EMFILE, ENFILE:
      self = .shortage("because too many files are open; raise the limit, ulimit -n")
    case EAGAIN:
      self = .shortage("because too many programs are running; end some, or raise ulimit -u")
    case ENOMEM, ENOBUFS, ENOSPC:
      self = .shortage("because the system has no memory left for it; end other programs")
    case ENOENT, ENOTDIR, EACCES: self = .notFound
    default: self = .other(systemMessage(for: number).lowercased())
    }
  }
}
