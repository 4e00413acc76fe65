import Loans
import Testing

@testable import LoanCatalogue

/// The forms in which systems write dates.
struct DateFormTests {
  /// What a form reads in a text: `2026-11-22`, with its hour if it tells one, `@` and the instant,
  /// `form` for another form, or `none` where there is no such day.
  private func read(_ text: String, _ form: String) throws -> String {
    try read(text, DateForm(form))
  }

  private func read(_ text: String, _ form: DateForm) throws -> String {
    do throws(CivilDate.ParseFailure) {
      switch try form.read(Array(text.utf8).span) {
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
    ("yyyyMMdd    HHmmss", "20261126 235900", "2026-11-26 23:59"),
    ("yyyyMMdd   XHHmmss", "20261126 Z045900", "@2026-11-26T04:59:00"),
    ("  yyyy-MM-dd\t\n[ HH:mm] ", "2026-11-26 18:00", "2026-11-26 18:00"),
    ("  yyyy-MM-dd\t\n[ HH:mm] ", "2026-11-26", "2026-11-26"),
    ("[X ]yyyy-MM-dd [HH:mm]", "2026-11-26", "2026-11-26"), ("yyyy M d", "2026 1126", "form"),
  ])
  func `White space in a form is as loose as in a value`(
    form: String, text: String, expected: String
  ) throws {
    #expect(try read(text, form) == expected)
  }

  @Test(arguments: [
    ("12:00 AM", "00:00"), ("12:59 am", "00:59"), ("1:05 Am", "01:05"), ("11:59 AM", "11:59"),
    ("12:00 PM", "12:00"), ("12:59 pm", "12:59"), ("1:00 PM", "13:00"), ("11:59 pM", "23:59"),
  ])
  func `An hour of twelve is before noon or after it`(text: String, expected: String) throws {
    #expect(try read("11/26/2026 \(text)", "M/d/yyyy h:mm a") == "2026-11-26 \(expected)")
  }

  @Test(arguments: [
    ("h:mm a", "0:30 AM", "none"), ("h:mm a", "13:00 PM", "none"), ("h:mm a", "5:40", "form"),
    ("h:mm a", "5:40 XM", "form"), ("h:mm a", "5:40 P", "form"), ("hh:mm a", "5:40 PM", "form"),
    ("hh:mm a", "05:40 PM", "2026-11-26 17:40"), ("ahh", "pm05", "2026-11-26 17:00"),
    ("h:mm:ss a X", "5:40:27 PM +00:00", "@2026-11-26T17:40:27"),
    ("h:mm:ss a X", "12:10:00 AM +01:00", "@2026-11-25T23:10:00"),
    ("[hh:mm a]", "", "2026-11-26"),
  ])
  func `What is no hour of twelve is refused`(form: String, text: String, expected: String) throws {
    let text = text.isEmpty ? "2026-11-26" : "2026-11-26 \(text)"
    #expect(try read(text, "yyyy-MM-dd \(form)") == expected)
  }

  @Test func `An hour that was printed in the form of twelve is read as what it was`() throws {
    for minute in 0..<1_440 {
      let (hour, half) = (minute / 60 % 12, minute < 720 ? "AM" : "PM")
      let printed = "2026-11-26 \(hour == 0 ? 12 : hour):\((minute % 60).digits(2))\(half)"
      #expect(
        try read(printed, "yyyy-MM-dd h:mma") == "2026-11-26 \((minute * 60).hoursAndMinutes)")
    }
  }

  @Test(arguments: [
    ("2026-11-26T23:59:59Z", "2026-11-26"), ("2026-11-27T00:59:59+01:00", "2026-11-26"),
    ("2026-11-26T00:00:00Z", "2026-11-26"), ("2026-11-26T23:00:00-02:00", "2026-11-27"),
    ("2026-11-26T18:00:00", "2026-11-26 18:00"), ("2026-11-26", "2026-11-26"),
    ("9999-12-31T23:59:59-01:00", "9999-12-31"),
  ])
  func `An instant can mean its day in UTC`(text: String, expected: String) throws {
    let form = try DateForm(Self.instant, takesUTCDay: true)
    #expect(try read(text, form) == expected)
  }

  @Test func `The letters that stand for themselves are known`() throws {
    #expect(try DateForm("yyyy-MM-ddTHH:mm:ssZ[T]").literals == "TZT")
    #expect(try DateForm("d/M/yyyy h:mm a 日").literals == "日")
    #expect(DateForm.dotted.literals == "")
  }

  @Test(arguments: [
    ("yyyy-MM", "has no dd"), ("MM-dd", "has no yyyy"), ("yyyy-dd", "has no MM"),
    ("yyyyy-MM-dd", "\"yyyyy\" means nothing"), ("yyyy-MMMM-dd", "\"MMMM\" means nothing"),
    ("yyyy-MM-dd[THH:mm", "a ] is missing"), ("yyyy-MM-dd]", "a [ is missing"),
    ("[yyyy]-MM-dd", "has no yyyy"), ("", "has no yyyy"),
    ("yyyy-MM-dd[b][c][e][f][g][i][j]", "too many parts"),
    ("yyyy-MM-dd h:mm", "h without a (AM or PM); H is an hour up to 24"),
    ("yyyy-MM-dd hh:mm[ a]", "h without a"), ("yyyy-MM-dd a", "a (AM or PM) without h"),
    ("yyyy-MM-dd HH:mm a", "a (AM or PM) without h"), ("yyyy-MM-dd HHhmm", "something twice"),
    ("yyyy-MM-dd[ HH][:mm]", "minutes without hours"),
    ("yyyy-MM-dd HHss", "seconds without minutes"),
    ("yyyy-MM-dd HH:mm.S", "S without seconds"), ("yyyy-MM-dd X X", "something twice"),
    ("yyyy-MMM-dd MM", "something twice"), ("yyyy-MM-dd aa", "\"aa\" means nothing"),
    ("yyyy-Mh-dd", "numbers of any length touch"),
  ])
  func `A form that makes no sense is refused`(form: String, words: String) throws {
    let error = #expect(throws: DateForm.SyntaxError.self) { try DateForm(form) }
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }
}
