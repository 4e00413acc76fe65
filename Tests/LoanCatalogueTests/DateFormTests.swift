import Loans
import Testing

@testable import LoanCatalogue

/// The forms in which systems write dates.
struct DateFormTests {
  /// What a form reads in a text: `2026-11-22`, with its hour if it tells one, `@` and the instant,
  /// `form` for another form, or `none` where there is no such day.
  private func read(_ text: String, _ form: String) throws -> String {
    let form = try DateForm(form)
    do throws(CivilDate.ParseFailure) {
      switch try form.read(Array(text.utf8)[...]) {
      case .civil(let date, let time):
        return "\(date)\(time.map { " \($0)" } ?? "")"
      case .instant(let instant): return "@\(CivilDateTime(ordinal: instant).map { "\($0)" } ?? "")"
      }
    } catch {
      return error == .form ? "form" : "none"
    }
  }

  private static let instant = "yyyy-MM-dd[THH:mm[:ss[.S]]][X]"

  @Test(arguments: [
    ("2026-11-22", "2026-11-22"), ("2026-11-22T18:00", "2026-11-22 18:00"),
    ("2026-11-22T18:00:05", "2026-11-22 18:00"), ("2026-11-22T18:00:00Z", "@2026-11-22T18:00:00"),
    ("2026-11-22T18:00Z", "@2026-11-22T18:00:00"),
    ("2026-11-22T18:00:00.329Z", "@2026-11-22T18:00:00"),
    ("2026-11-22T23:59:59.999+02:00", "@2026-11-22T21:59:59"),
    ("2026-11-22T18:00+0130", "@2026-11-22T16:30:00"),
    ("2026-11-22T18:00-05", "@2026-11-22T23:00:00"),
    ("2026-11-22Z", "2026-11-22"), ("2026-11-22T24:00:00", "2026-11-22 23:59"),
    ("2026-11-22T24:00:00Z", "@2026-11-22T23:59:59"),
    ("2026-11-22T23:59:60Z", "@2026-11-22T23:59:59"),
  ])
  func `An instant is read as it is written in XML`(text: String, expected: String) throws {
    #expect(try read(text, Self.instant) == expected)
  }

  @Test(arguments: [
    ("2026-02-30", "none"), ("2026-13-01", "none"), ("0000-01-01", "none"),
    ("2026-11-22T25:00", "none"), ("2026-11-22T24:01", "none"), ("2026-11-22T18:60", "none"),
    ("2026-11-22T18:00:61", "none"), ("2026-11-22T18:00:00+15:00", "form"),
    ("2026-11-22T18:00:00+02:60", "form"), ("2026-11-22T", "form"), ("2026-11-22 18:00", "form"),
    ("26-11-22", "form"), ("2026-11-2", "form"), ("2026-11-222", "form"), ("", "form"),
    ("2026-11-22T18", "form"), ("2026-11-22T18:00:00.Z", "form"), ("２０２６-11-22", "form"),
    ("-2026-11-22", "form"), ("+2026-11-22", "form"), ("2026-11-22T18:00:00+2", "form"),
  ])
  func `What is no date is told from what is no day`(text: String, expected: String) throws {
    #expect(try read(text, Self.instant) == expected)
  }

  @Test(arguments: [
    ("yyyyMMdd", "20261122", "2026-11-22"),
    ("yyyyMMdd[ HH[:]mm]", "20261122 24:00", "2026-11-22 23:59"),
    ("yyyyMMdd[ HH[:]mm]", "20261122 1800", "2026-11-22 18:00"),
    ("dd/MM/yyyy", "22/11/2026", "2026-11-22"),
    ("d/M/yyyy", "2/1/2026", "2026-01-02"), ("d/M/yyyy", "22/11/2026", "2026-11-22"),
    ("d/MMM/yyyy", "13/jan/2026", "2026-01-13"), ("d/MMM/yyyy", "13/JAN/2026", "2026-01-13"),
    ("d/MMM/yyyy", "13/jen/2026", "form"), ("d/M/yy", "13/7/26", "2026-07-13"),
    ("d.M.yyyy", "002.1.2026", "form"), ("M/d/yyyy H:mm", "4/29/2026 9:22", "2026-04-29 09:22"),
    ("yyyy.MM.dd", "2026.11.22", "2026-11-22"), ("yyyy年M月d日", "2026年1月2日", "2026-01-02"),
  ])
  func `Each system has a form of its own`(form: String, text: String, expected: String) throws {
    #expect(try read(text, form) == expected)
  }

  @Test(arguments: [
    ("yyyy-MM", "has no dd"), ("MM-dd", "has no yyyy"), ("yyyy-dd", "has no MM"),
    ("yyyyy-MM-dd", "\"yyyyy\" means nothing"), ("yyyy-MMMM-dd", "\"MMMM\" means nothing"),
    ("yyyy-MM-dd[THH:mm", "a ] is missing"), ("yyyy-MM-dd]", "a [ is missing"),
    ("[yyyy]-MM-dd", "has no yyyy"), ("", "has no yyyy"),
    ("yyyy-MM-dd[a][b][c][d][e][f][g]", "too many parts"),
  ])
  func `A form that makes no sense is refused`(form: String, words: String) throws {
    let error = #expect(throws: DateForm.SyntaxError.self) { try DateForm(form) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
