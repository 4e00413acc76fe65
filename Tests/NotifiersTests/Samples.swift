import Loans
import Notifiers

/// 2026-11-21, the day that all tests of the notifiers live in.
let today = sampleDay(21)

/// Seven in the morning of that day, with twelve notices open.
let context = DeliveryContext(
  now: CivilDateTime(today, CivilTime(secondOfDay: 7 * 3_600) ?? .midnight), openCount: 12)

/// A day of November 2026.
func sampleDay(_ day: Int) -> CivilDate {
  guard let date = CivilDate(year: 2026, month: 11, day: day) else {
    preconditionFailure("November has no day \(day)")
  }
  return date
}

/// A notice about a loan that expires on the 22nd, unless told otherwise.
func reminder(
  _ title: String?, id: String? = nil, to borrower: String? = nil, on day: Int = 22,
  at library: String? = nil
) -> Notice {
  Notice(
    rung: -1,
    loan: Loan(id: id, title: title, borrower: borrower, expiration: sampleDay(day)),
    catalogue: "books.xml", library: library)
}

/// A notice about a loan that expired on the 14th, unless told otherwise.
func expired(_ title: String?, on day: Int = 14, at library: String? = nil) -> Notice {
  Notice(
    rung: 1, loan: Loan(title: title, expiration: sampleDay(day)), catalogue: "books.xml",
    library: library)
}
