import Loans
import ReminderService
import System

/// A catalogue that `watch` follows.
struct WatchedCatalogue {
  var entry: CatalogueToRead
  /// Whether it is to be read.
  var isUnread = true
  /// Whether it could be used when it was last read.
  private(set) var isUsable = true
  /// Whether it has been there since `watch` began.
  private var wasThere = false
  private var troubles = CatalogueTroubles()

  /// The time after which a catalogue that cannot be read is tried again, although no change was seen.
  private static let unreadablePause = Duration.seconds(60)

  init(_ entry: CatalogueToRead) { self.entry = entry }

  /// Takes in the findings of a reading.
  ///
  /// - Returns: the lines to print, and after what time to read it again, if at all.
  mutating func note(
    _ findings: CatalogueFindings, at moment: Duration
  ) -> (lines: [String], retry: Duration?) {
    isUnread = false
    isUsable = findings.isUsable
    if findings.isReadable || FileSystem.exists(entry.path) { wasThere = true }
    let path = entry.path.visible
    var advice = troubles.note(
      wasThere ? findings.lines : ["check-loans: \(path) is not there yet; waiting for it"],
      isUsable: isUsable, at: moment)
    if advice.isUsableAgain {
      advice.news.append("check-loans: \(path): reloaded, \(counted(findings.loans, "loan"))")
    }
    if advice.looksAgain { return (advice.news, CatalogueTroubles.delay) }
    return (advice.news, findings.isReadable ? nil : Self.unreadablePause)
  }
}
