import Loans
import Testing

struct CivilDateParsingTests {
  private static let separators: [(Character, @Sendable (ArraySlice<UInt8>) throws -> CivilDate)] =
    [
      (".", { try CivilDate(dotted: $0.span) }), ("-", { try CivilDate(iso: $0.span) }),
    ]

  /// What a parser makes of `bytes`, which begin somewhere inside their array.
  private func outcome(
    _ parse: (ArraySlice<UInt8>) throws -> CivilDate, _ bytes: some Sequence<UInt8>
  ) -> Result<CivilDate, any Error> {
    let bytes = Array("00".utf8) + bytes + Array("00".utf8)
    return Result { try parse(bytes[2..<bytes.count - 2]) }
  }

  private func failure(
    _ parse: (ArraySlice<UInt8>) throws -> CivilDate, _ bytes: some Sequence<UInt8>
  ) -> CivilDate.ParseFailure? {
    guard case .failure(let error) = outcome(parse, bytes) else { return nil }
    return error as? CivilDate.ParseFailure
  }

  private func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: width - text.count) + text
  }

  @Test(arguments: [0, 1, 4, 100, 1582, 1600, 1900, 1999, 2000, 2023, 2024, 2026, 2100, 9999])
  func `Exactly the days of the calendar are taken`(year: Int) {
    for (separator, parse) in Self.separators {
      for month in 0...99 {
        for day in 0...99 {
          let text =
            "\(digits(year, 4))\(separator)\(digits(month, 2))\(separator)\(digits(day, 2))"
          if year > 0 && LibraryCalendar.hasDay(year: year, month: month, day: day) {
            guard case .success(let date) = outcome(parse, text.utf8),
              date.parts == (year, month, day)
            else {
              Issue.record("\(text) is a day")
              continue
            }
          } else if failure(parse, text.utf8) != .notADay {
            Issue.record("\(text) is not a day")
          }
        }
      }
    }
  }

  @Test(arguments: 0..<10)
  func `No other byte is taken in the place of a digit or separator`(position: Int) {
    for (separator, parse) in Self.separators {
      let allowed = position == 4 || position == 7 ? "\(separator)" : "0123456789"
      var bytes = Array("2024\(separator)11\(separator)11".utf8)
      for byte in UInt8.min...UInt8.max {
        bytes[position] = byte
        let isForm = failure(parse, bytes) != .form
        if isForm != allowed.utf8.contains(byte) {
          Issue.record("byte \(byte) at \(position): \(isForm ? "taken" : "refused")")
        }
      }
    }
  }

  @Test(arguments: 0...20)
  func `Only ten bytes are a date`(length: Int) {
    for (separator, parse) in Self.separators {
      let text = "2026\(separator)11\(separator)28\(separator)2026\(separator)11\(separator)28"
      let isDate = failure(parse, text.utf8.prefix(length)) != .form
      #expect(isDate == (length == 10))
      let blank = failure(parse, repeatElement(UInt8(ascii: " "), count: length))
      #expect(blank == .form)
    }
  }

  @Test(arguments: [
    " 2026.11.28", "2026.11.28 ", "2026.11.2 ", "+026.11.28", "-026.11.28", "2026.11.-1",
    "2026-11-28", "2026/11/28", "2026.11-28", "2026.1.028", "20261128..", "26.11.28..",
    "２０２６.11.28", "2026．11．28", "٢٠٢٦.11", "2026.11.2８", "\u{FEFF}026.11.28",
  ])
  func `A text of another form is refused as such`(text: String) {
    #expect(failure({ try CivilDate(dotted: $0.span) }, text.utf8) == .form)
  }

  @Test func `A dotted date is no ISO date, and the other way round`() {
    #expect(failure({ try CivilDate(iso: $0.span) }, "2026.11.28".utf8) == .form)
    #expect(failure({ try CivilDate(dotted: $0.span) }, "2026-11-28".utf8) == .form)
  }
}
