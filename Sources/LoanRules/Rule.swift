public import Loans

/// The meaning of a diagnostic's code to the person who has to fix the catalogue.
public struct Rule: Hashable, Sendable {
  /// The code.
  public let code: Diagnostic.Code
  /// The problem in a few words.
  public let summary: String
  /// The reason why it is a problem, and what exactly is checked.
  public let explanation: String
  /// A part of a catalogue, or a whole one, that has the problem.
  public let example: String
  /// ``example`` as it should be.
  public let fixed: String
  /// The advice.
  public let remedy: String

  /// All rules, in the order of their codes.
  public static let all = Diagnostic.Code.allCases.map(Rule.init)

  /// A catalogue without problems.
  private static let sound =
    "<books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>"

  /// The rule of a code.
  public init(_ code: Diagnostic.Code) {
    self.code = code
    switch code {
    case .malformedXML:
      summary = "the document is not well-formed XML"
      explanation = """
        Nothing after this place was read. Usual causes: a tag that is not closed, an & that should \
        be &amp;, a byte that is not in the declared encoding, a file that was cut off.
        """
      example = "<books><book><title>Toldi & Toldi estéje</title></book></books>"
      fixed = """
        <books><book><title>Toldi &amp; Toldi estéje</title>
          <expiration>2026.12.01</expiration></book></books>
        """
      remedy = "Correct the place that is named; the mistake may begin a little before it."
    case .externalEntity:
      summary = "the document refers to a text outside itself"
      explanation = """
        Nothing outside the catalogue is ever opened; otherwise whoever writes a catalogue could \
        make any file be read. Text that is left out could hide a loan, so reading ends here.
        """
      example = """
        <!DOCTYPE books [<!ENTITY names SYSTEM "names.txt">]>
        <books><book><title>&names;</title></book></books>
        """
      fixed = Self.sound
      remedy = "Write the text itself in place of the reference."
    case .declaredText:
      summary = "the document type declares a text"
      explanation = """
        Entities, and values of attributes that a document type declares, are not read: nobody \
        needs them in a list of loans, and a few lines of them can become gigabytes. A document type \
        without them does no harm.
        """
      example = """
        <!DOCTYPE books [<!ENTITY desk "Móra">]>
        <books><book><title>Abigél</title><borrower>&desk;</borrower></book></books>
        """
      fixed = Self.sound
      remedy = "Write the text where it is used, and remove its declaration."
    case .unsupportedEncoding:
      summary = "the document's encoding is unknown or refused"
      explanation = """
        The encoding that the first line declares is not supported, or is UTF-7, whose bytes can \
        hide markup.
        """
      example = """
        <?xml version="1.0" encoding="UTF-7"?>
        <books><book><title>Abigel</title></book></books>
        """
      fixed = """
        <?xml version="1.0" encoding="UTF-8"?>
        <books><book><title>Abigel</title><expiration>2026.12.01</expiration></book></books>
        """
      remedy = "Save the catalogue as UTF-8 and declare that, or declare nothing."
    case .noLoans:
      summary = "the document holds no book record"
      explanation = """
        In the native format the root is <books> (or <Books>) with <book> (or <Book>) directly \
        inside; the formats of other systems are detected by their root elements too (check-loans \
        profiles). An export that went wrong often looks like this: an empty list, or something \
        else altogether.
        """
      example = "<report><line>nothing selected</line></report>"
      fixed = Self.sound
      remedy = """
        Look at what wrote the file, and export it again; or choose the format with --profile. \
        --allow-empty accepts a list without any book.
        """
    case .notACatalogue:
      summary = "the file is not XML"
      explanation = """
        It is a response in JSON, a page that a server shows to a browser, for example to log in, a \
        response with its headers, as curl -i writes it, or a compressed file that is cut off or \
        damaged. Notices are unchanged.
        """
      example = "<!DOCTYPE html><html><title>Log in</title><body>Who are you?</body></html>"
      fixed = Self.sound
      remedy = "Download or unpack it again, or request XML from the server with the right key."
    case .errorAnswer:
      summary = "the document is a server's error response"
      explanation = """
        The document has a known format, but instead of loans it says why there are none. It must \
        not be treated as a list without loans, so notices are unchanged.
        """
      example = "<GetPatronInfo><code>NotAllowed</code></GetPatronInfo>"
      fixed = """
        <GetPatronInfo><loans>
          <loan><title>Abigél</title><date_due>2026-12-01</date_due></loan>
        </loans></GetPatronInfo>
        """
      remedy = "Correct the request, or wait until the server is back, and try again."
    case .unknownBorrower:
      summary = "the server does not know the borrower"
      explanation = """
        The server works, and says that it has no borrower with that number: the borrower has left, or \
        the request has a mistake. What is scheduled is neither deleted nor sent until a response has \
        the borrower's loans again.
        """
      example = "<GetPatronInfo><code>PatronNotFound</code></GetPatronInfo>"
      fixed = """
        <GetPatronInfo><loans>
          <loan><title>Abigél</title><date_due>2026-12-01</date_due></loan>
        </loans></GetPatronInfo>
        """
      remedy = """
        If the borrower has left, remove the catalogue with check-loans schedule forget; otherwise \
        correct the request.
        """
    case .incompleteAnswer:
      summary = "a server's response has only a part of the loans"
      explanation = """
        Servers return long lists in parts, and say how many loans there are or where the next \
        part is. The loans in this part are processed; the others would get no reminder.
        """
      example = """
        <item_loans total_record_count="2"><item_loan><title>Abigél</title>
          <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
        """
      fixed = """
        <item_loans total_record_count="1"><item_loan><title>Abigél</title>
          <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
        """
      remedy = "Request all of them at once (Alma: limit=100)."
    case .noExpirations:
      summary = "no loan has an expiration at all"
      explanation = """
        There are loans, but none of them has anything where its format has the date. Perhaps none \
        has an end, or every book is on the shelf; but perhaps the date has another name since \
        yesterday, or a profile has a mistake, and no loan would get a reminder any longer. \
        Notices that were scheduled are kept. It is an error where a book without a date has a \
        borrower or a loan date.
        """
      example = """
        <item_loans><item_loan><title>Abigél</title>
          <date_due>2026-12-01T17:00:00Z</date_due></item_loan></item_loans>
        """
      fixed = """
        <item_loans><item_loan><title>Abigél</title>
          <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
        """
      remedy = "Check that the dates are where the profile says (check-loans profiles)."
    case .dateFormat:
      summary = "an expiration is not written as yyyy.MM.dd"
      explanation = """
        The form is four digits, a full stop, two digits, a full stop and two digits, in ASCII, \
        with or without white space around them; in a document of another system, one of the forms \
        that its profile names. This loan would get no reminder.
        """
      example = "<expiration>2026-12-01</expiration>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = """
        Write the date in this form. Where only the form is wrong, check-loans validate --fix does \
        it; the order of day and month is never guessed.
        """
    case .impossibleDate:
      summary = "an expiration is not a day of the calendar"
      explanation = """
        The format is right, but there is no such day: a 13th month, a 31st in a month of 30 days, \
        a 29 February in a common year. This loan would get no reminder.
        """
      example = "<expiration>2026.02.30</expiration>"
      fixed = "<expiration>2026.02.28</expiration>"
      remedy = "Write the day that was meant; no program can guess it."
    case .emptyExpiration:
      summary = "an expiration is present but empty"
      explanation = """
        A book without an expiration is on the shelf; one whose expiration is empty may be lent, \
        and its date lost.
        """
      example = "<expiration></expiration>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = "Write the date, or remove the element if the book is on the shelf."
    case .missingExpiration:
      summary = "a book has no expiration (--require-expiration)"
      explanation = """
        Checked only with --require-expiration, for catalogues that list only books that are lent.
        """
      example = "<book><title>Abigél</title></book>"
      fixed = "<book><title>Abigél</title><expiration>2026.12.01</expiration></book>"
      remedy = "Add the expiration, or remove the book from the list."
    case .missingLoanDays:
      summary = "a format without due dates needs --loan-days"
      explanation = """
        Some programs record when a book was lent, but not until when. These loans are left out \
        until the loan period is given.
        """
      example = """
        <collection type="GCbooks" items="1"><item id="1" title="Abigél" borrower="Anna"
          lendDate="21/11/2026"/></collection>
        """
      fixed = "<books><book><title>Abigél</title><expiration>2026.12.19</expiration></book></books>"
      remedy = "Give the loan period in days, for example --loan-days 28."
    case .duplicateExpiration:
      summary = "a book has two expirations"
      explanation = """
        It is impossible to know which one counts. So the loan stays as the schedule has it, and a \
        new one is left out. Often the old date was not removed when the loan was renewed.
        """
      example = "<expiration>2026.12.01</expiration>\n<expiration>2026.12.15</expiration>"
      fixed = "<expiration>2026.12.15</expiration>"
      remedy = "Keep only the right one."
    case .duplicateID:
      summary = "an earlier book has the same id"
      explanation = """
        The id identifies a loan from one day to the next. Both loans are processed, but if one of \
        them is changed or returned, the notices of the other may be sent again.
        """
      example = """
        <book id="bk1"><title>Abigél</title></book>
        <book id="bk1"><title>Toldi</title></book>
        """
      fixed = """
        <book id="bk1"><title>Abigél</title></book>
        <book id="bk2"><title>Toldi</title></book>
        """
      remedy = "Give each book an id of its own."
    case .missingTitle:
      summary = "a book has no title"
      explanation = "Its notices can only name its id or barcode, of little use to a borrower."
      example = "<book id=\"bk1\"><expiration>2026.12.01</expiration></book>"
      fixed = """
        <book id="bk1"><title>Abigél</title><expiration>2026.12.01</expiration></book>
        """
      remedy = "Add the title."
    case .unlikelyDate:
      summary = "an expiration is before 1970 or after 2099"
      explanation = """
        The loan is processed as it is, but the year is probably a typing mistake: a loan of the \
        year 2206 gets no reminder in 2026.
        """
      example = "<expiration>2206.12.01</expiration>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = "Check the year."
    case .misplacedExpiration:
      summary = "an expiration is not directly inside a book"
      explanation = """
        Only an expiration directly inside a book counts; one inside another element of the book, \
        or outside the books, is ignored, and its loan would get no reminder.
        """
      example = "<loan><expiration>2026.12.01</expiration></loan>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = "Move it directly into its book."
    case .unknownCase:
      summary = "a name is known only in another case"
      explanation = """
        XML distinguishes <Expiration> from <expiration>; an unknown element is ignored, and with \
        it perhaps a loan.
        """
      example = "<Expiration>2026.12.01</Expiration>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = "Write the name as it is suggested."
    case .unknownDateElement:
      summary = "a date is under another name than expiration"
      explanation = """
        A book without <expiration> is on the shelf. This one has none, but a date in an element or attribute \
        whose name is nearly expiration, or one that libraries use for it (due, expires, return-by), \
        so it may be a loan that would get no reminder. A slip such as <expiraton> counts whatever is in it.
        """
      example = """
        <book id="bk1"><title>Abigél</title><due>2026.12.01</due></book>
        """
      fixed = """
        <book id="bk1"><title>Abigél</title><expiration>2026.12.01</expiration></book>
        """
      remedy = """
        Write it as <expiration>, or give the element another name if it is another date; --warn \
        unknown-date-element makes it a warning.
        """
    case .unknownColumn:
      summary = "no field is read from a column of a query"
      explanation = """
        What mariadb --xml and PostgreSQL's query_to_xml print is read by the names of its columns: id, \
        title, borrower, expiration and the others. The first row is looked at; a misspelt name could \
        leave all loans without an address, or without a date.
        """
      example = """
        <resultset statement="SELECT …"><row><field name="title">Abigél</field>
          <field name="mail">anna@example.org</field>
          <field name="expiration">2026-12-01</field></row></resultset>
        """
      fixed = """
        <resultset statement="SELECT …"><row><field name="title">Abigél</field>
          <field name="email">anna@example.org</field>
          <field name="expiration">2026-12-01</field></row></resultset>
        """
      remedy = "Rename the column in the query (SELECT … AS email), or leave it out."
    case .duplicateLoan:
      summary = "an earlier book is the same loan"
      explanation = """
        Two loans have the same barcode, which only one copy can have; or, without a barcode, the \
        same ISBN, title, author, borrower and expiration, if there is a borrower, and a title or an \
        ISBN. The borrower would be reminded twice.
        """
      example = """
        <book id="bk1"><title>Abigél</title><barcode>30053532</barcode>
          <expiration>2026.12.01</expiration></book>
        <book id="bk2"><title>Abigél</title><barcode>30053532</barcode>
          <expiration>2026.12.15</expiration></book>
        """
      fixed = """
        <book id="bk2"><title>Abigél</title><barcode>30053532</barcode>
          <expiration>2026.12.15</expiration></book>
        """
      remedy = "Remove the loan that has ended, or correct the barcode."
    case .invalidISBN:
      summary = "an ISBN has the wrong length or check digit"
      explanation = """
        An ISBN has 10 digits, the last of which may be X, or 13 beginning with 978 or 979; the \
        last one is computed from the others, so that mistakes show. Hyphens, spaces and anything \
        after it in parentheses do not count.
        """
      example = "<isbn>9789631193618</isbn>"
      fixed = "<isbn>9789631193619</isbn>"
      remedy = "Compare it with the book."
    case .invalidEmail:
      summary = "a borrower's e-mail address is not valid"
      explanation = """
        Expected is one address like NAME@DOMAIN, in ASCII and without spaces. Whether it exists is \
        not checked.
        """
      example = "<email>eszter.example.org</email>"
      fixed = "<email>eszter@example.org</email>"
      remedy = "Correct or remove it."
    case .invalidLoanDate:
      summary = "a loan date is no day as yyyy.MM.dd, or is after today"
      explanation = """
        The optional <loaned> is the day on which the book was lent, written like an expiration. \
        One that is wrong counts as unknown, so that no reminder is left out. Days after today are \
        reported by every run that reminds, and here only with --max-days.
        """
      example = "<loaned>2026.11.1</loaned>"
      fixed = "<loaned>2026.11.01</loaned>"
      remedy = """
        Write the date as yyyy.MM.dd. Where only the form is wrong, check-loans validate --fix does \
        it.
        """
    case .expirationBeforeLoan:
      summary = "an expiration is before the loan date"
      explanation = "A book cannot be due before it was lent: one of the two dates is wrong."
      example = "<loaned>2026.11.07</loaned><expiration>2026.01.28</expiration>"
      fixed = "<loaned>2026.11.07</loaned><expiration>2026.11.28</expiration>"
      remedy = "Correct the one that is wrong."
    case .distantExpiration:
      summary = "an expiration is further ahead than --max-days"
      explanation = """
        Checked only with --max-days: a library that lends for four weeks has no loan that expires \
        in a year. Days are counted from today in the time zone given, or from --now.
        """
      example = "<expiration>2062.12.01</expiration>"
      fixed = "<expiration>2026.12.01</expiration>"
      remedy = "Check the year; if the loan is right, allow more days."
    case .shiftedDays:
      summary = "all loans expire shortly after midnight"
      explanation = """
        Some servers write a day as its last second in UTC, which east of Greenwich is early on the \
        next day, so that reminders come a day late. Reported where two loans or more have such a \
        time, and none has another.
        """
      example = """
        <item_loans><item_loan><title>Abigél</title><due_date>2026-12-01T23:59:59Z</due_date>
          </item_loan><item_loan><title>Toldi</title><due_date>2026-12-03T23:59:59Z</due_date>
          </item_loan></item_loans>
        """
      fixed = Self.sound
      remedy = """
        If the library means the day before, set day="utc" in the <expiration> of the profile \
        (check-loans profiles show prints it), and read by that (--profile).
        """
    }
  }
}
