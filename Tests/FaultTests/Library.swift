import Loans

/// A library that lends numbered books, and what a plain count says is due in it.
struct Library: Sendable {
  /// The last days of the loans, by the books' numbers.
  private(set) var expirations: [Int: CivilDate]

  /// A library of so many loans, of which about three in ten expired in the last days and three in
  /// ten expire today or tomorrow.
  init(loans: Int, today: CivilDate) {
    expirations = [:]
    for number in 0..<loans {
      expirations[number] = today.adding(days: Self.daysLeft(number))
    }
  }

  /// A library in which only these many of the loans are due.
  init(loans: Int, due: Int, today: CivilDate) {
    expirations = [:]
    for number in 0..<loans {
      let days = number < due ? number % 3 - 1 : 30 + number % 200
      expirations[number] = today.adding(days: days)
    }
  }

  private static func daysLeft(_ number: Int) -> Int {
    switch number % 10 {
    case 0..<3: -1 - number % 40
    case 3..<6: number % 2
    default: 2 + number % 60
    }
  }

  /// A day later in the same library: of twenty loans about one was renewed, one returned, and one
  /// was added.
  func edited() -> Library {
    var library = self
    for (number, expiration) in expirations {
      switch number % 20 {
      case 1: library.expirations[number] = expiration.adding(days: 28)
      case 8: library.expirations[number] = nil
      case 13: library.expirations[number + 5_000] = expiration.adding(days: 1)
      default: break
      }
    }
    return library
  }

  /// The notices that nobody has had by the end of today if nothing was ever delivered.
  func due(today: CivilDate) -> Set<Tiding> {
    Set(
      expirations.compactMap { number, expiration in
        let daysLeft = expiration.dayNumber - today.dayNumber
        guard daysLeft <= 1 else { return nil }
        return Tiding(
          title: Self.title(number), kind: daysLeft < 0 ? "expired" : "reminder",
          expiration: expiration.dotted)
      })
  }

  private static func title(_ number: Int) -> String { "Book \(number)!" }

  /// The catalogue of the library.
  var xml: String {
    var text = "<books>\n"
    for (number, expiration) in expirations.sorted(by: { $0.key < $1.key }) {
      text += """
        <book id="bk\(number)"><title>\(Self.title(number))</title><author>Author \(number % 97)\
        </author><borrower>Borrower \(number % 53)</borrower>\
        <expiration>\(expiration.dotted)</expiration></book>

        """
    }
    return text + "</books>\n"
  }
}

/// What a notice told, as it can be read off what came through a channel.
struct Tiding: Hashable, Sendable, CustomStringConvertible {
  var title: String
  /// `reminder` or `expired`, or `digest` for a message about many loans.
  var kind: String
  /// In the catalogue's form.
  var expiration: String

  var description: String { "\(title) \(kind) \(expiration)" }
}
