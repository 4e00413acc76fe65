import Loans

/// The words of a ``Rule``.
struct RuleText {
  var summary: String
  var explanation: String
  var example: String
  var mended: String
  var remedy: String
}

extension Diagnostic.Code {
  var ruleText: RuleText {
    switch self {
    case .malformedXML, .externalEntity, .unsupportedEncoding, .noLoans: documentText
    case .notACatalogue, .errorAnswer, .incompleteAnswer, .noExpirations, .httpHeaders,
      .missingLoanDays:
      answerText
    case .dateFormat, .impossibleDate, .emptyExpiration, .missingExpiration, .duplicateExpiration,
      .misplacedExpiration:
      expirationText
    case .unlikelyDate, .invalidLoanDate, .expirationBeforeLoan, .distantExpiration: dateText
    case .duplicateID, .duplicateLoan, .missingTitle, .unknownCase, .unknownDateElement,
      .invalidISBN,
      .invalidEmail, .unusedIgnore:
      bookText
    }
  }

  private var documentText: RuleText {
    switch self {
    case .externalEntity:
      RuleText(
        summary: "the document refers to a text outside itself",
        explanation: """
          Nothing outside the catalogue is ever opened, since whoever writes a catalogue could \
          otherwise have any file read. A text that is left out could hide a loan, so the reading \
          ends here.
          """,
        example: """
          <!DOCTYPE books [<!ENTITY names SYSTEM "names.txt">]>
          <books><book><title>&names;</title></book></books>
          """,
        mended:
          "<books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>",
        remedy: "Write the text itself in place of the reference.")
    case .unsupportedEncoding:
      RuleText(
        summary: "the document's encoding is unknown or refused",
        explanation: """
          The encoding that the first line declares is not known here, or is UTF-7, whose bytes can \
          hide markup.
          """,
        example: """
          <?xml version="1.0" encoding="UTF-7"?>
          <books><book><title>Abigel</title></book></books>
          """,
        mended: """
          <?xml version="1.0" encoding="UTF-8"?>
          <books><book><title>Abigel</title><expiration>2026.12.01</expiration></book></books>
          """,
        remedy: "Save the catalogue as UTF-8 and declare that, or declare nothing.")
    case .noLoans:
      RuleText(
        summary: "the document holds no book record",
        explanation: """
          In the tool's own form the root is <books> (or <Books>) with <book> (or <Book>) directly \
          inside; the forms of other systems are known by their root elements too (check-loans \
          profiles). An export that went wrong often looks like this: an empty list, or something \
          else altogether.
          """,
        example: "<report><line>nothing selected</line></report>",
        mended:
          "<books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>",
        remedy: """
          Look at what wrote the file, and export it again; or tell with --profile how to read it.
          """)
    default:
      RuleText(
        summary: "the document is not well-formed XML",
        explanation: """
          Nothing behind this place was read: a tag that is not closed, an & that should be &amp;, a \
          byte that is not of the declared encoding, a file that was cut off.
          """,
        example: "<books><book><title>Toldi & Toldi estéje</title></book></books>",
        mended: """
          <books><book><title>Toldi &amp; Toldi estéje</title>
            <expiration>2026.12.01</expiration></book></books>
          """,
        remedy: "Correct the place that is named; the fault may begin a little before it.")
    }
  }

  private var answerText: RuleText {
    switch self {
    case .notACatalogue:
      RuleText(
        summary: "the file is no XML but something else",
        explanation: """
          An answer in JSON, the page that a server shows to a browser, for example because one has to \
          log in, or a compressed file that is cut off or damaged. Reminders stay as they were.
          """,
        example: "<!DOCTYPE html><html><title>Log in</title><body>Who are you?</body></html>",
        mended:
          "<books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>",
        remedy: "Fetch or unpack it again, or ask the server for XML and with the right key.")
    case .errorAnswer:
      RuleText(
        summary: "the document is a server's error answer",
        explanation: """
          The document is of a known form, but instead of loans it says why there are none. It must \
          not be taken for a list without loans, so reminders stay as they were.
          """,
        example: "<GetPatronInfo><code>PatronNotFound</code></GetPatronInfo>",
        mended: """
          <GetPatronInfo><loans>
            <loan><title>Abigél</title><date_due>2026-12-01</date_due></loan>
          </loans></GetPatronInfo>
          """,
        remedy: "Mend the request, or wait until the server is well, and ask again.")
    case .incompleteAnswer:
      RuleText(
        summary: "a server's answer holds only a part of the loans",
        explanation: """
          Servers answer long lists in parts, and tell how many loans there are or where the next \
          part is. The loans of this part are processed; nobody would be reminded of the others.
          """,
        example: """
          <item_loans total_record_count="2"><item_loan><title>Abigél</title>
            <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
          """,
        mended: """
          <item_loans total_record_count="1"><item_loan><title>Abigél</title>
            <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
          """,
        remedy: "Ask for all of them at once (Alma: limit=100).")
    case .noExpirations:
      RuleText(
        summary: "no loan has an expiration at all",
        explanation: """
          There are loans, but none of them has anything where its form has the date. Perhaps none has \
          an end, or every book is on the shelf; but perhaps the date is written under another name \
          today than yesterday, or a profile has a slip, and nobody would be reminded any more. \
          Reminders that were scheduled are kept. It is an error where a book without a date has a \
          borrower or a loan date.
          """,
        example: """
          <item_loans><item_loan><title>Abigél</title>
            <date_due>2026-12-01T17:00:00Z</date_due></item_loan></item_loans>
          """,
        mended: """
          <item_loans><item_loan><title>Abigél</title>
            <due_date>2026-12-01T17:00:00Z</due_date></item_loan></item_loans>
          """,
        remedy: "Look whether the dates are where the profile says (check-loans profiles).")
    case .httpHeaders:
      RuleText(
        summary: "the headers of a server's answer stand before it",
        explanation: """
          The file begins with the headers of HTTP, as curl -i writes them. They are left out, and \
          what follows is read.
          """,
        example: """
          HTTP/1.1 200 OK
          Content-Type: application/xml

          <books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>
          """,
        mended:
          "<books><book><title>Abigél</title><expiration>2026.12.01</expiration></book></books>",
        remedy: "Save the body alone: leave out curl's -i.")
    default:
      RuleText(
        summary: "a form without due dates needs --loan-days",
        explanation: """
          Some programs note when a book was lent, but not until when. Only somebody who knows for how \
          long books are lent can tell when these loans expire; until then they are left out.
          """,
        example: """
          <collection type="GCbooks" items="1"><item id="1" title="Abigél" borrower="Anna"
            lendDate="21/11/2026"/></collection>
          """,
        mended:
          "<books><book><title>Abigél</title><expiration>2026.12.19</expiration></book></books>",
        remedy: "Say for how many days books are lent, for example --loan-days 28.")
    }
  }

  private var expirationText: RuleText {
    switch self {
    case .impossibleDate:
      RuleText(
        summary: "an expiration is not a day of the calendar",
        explanation: """
          The form is right, but there is no such day: a month after 12, a 31st where there are 30, \
          a 29 February of a common year. Nobody would be reminded of this loan.
          """,
        example: "<expiration>2026.02.30</expiration>",
        mended: "<expiration>2026.02.28</expiration>",
        remedy: "Write the day that was meant; no program can know it.")
    case .emptyExpiration:
      RuleText(
        summary: "an expiration is present but empty",
        explanation: """
          A book without expiration is on the shelf; one whose expiration is empty may be lent, and \
          its date lost.
          """,
        example: "<expiration></expiration>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: "Write the date, or remove the element if the book is on the shelf.")
    case .missingExpiration:
      RuleText(
        summary: "a book has no expiration (--require-expiration)",
        explanation: """
          Looked for only with --require-expiration, for catalogues that list nothing but books that \
          are lent.
          """,
        example: "<book><title>Abigél</title></book>",
        mended: "<book><title>Abigél</title><expiration>2026.12.01</expiration></book>",
        remedy: "Add the expiration, or remove the book from the list.")
    case .duplicateExpiration:
      RuleText(
        summary: "a book has two expirations",
        explanation: """
          Nobody can tell which of them counts, so the loan is left out. Often the old date was left \
          standing when the loan was renewed.
          """,
        example: "<expiration>2026.12.01</expiration>\n<expiration>2026.12.15</expiration>",
        mended: "<expiration>2026.12.15</expiration>",
        remedy: "Keep only the right one.")
    case .misplacedExpiration:
      RuleText(
        summary: "an expiration is not directly inside a book",
        explanation: """
          Only an expiration directly inside a book counts; one inside another element of the book, \
          or beside the books, is ignored, and nobody would be reminded of it.
          """,
        example: "<loan><expiration>2026.12.01</expiration></loan>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: "Move it directly into its book.")
    default:
      RuleText(
        summary: "an expiration is not of the form yyyy.MM.dd",
        explanation: """
          Four digits, full stop, two digits, full stop, two digits, in ASCII, with white space \
          around or not; in a document of another system, the forms that its profile names. Nobody \
          would be reminded of this loan.
          """,
        example: "<expiration>2026-12-01</expiration>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: """
          Write the date in this form. Where only the form is wrong, check-loans validate --fix does \
          it; the order of day and month is never guessed.
          """)
    }
  }

  private var dateText: RuleText {
    switch self {
    case .invalidLoanDate:
      RuleText(
        summary: "a loan date is not a day of the form yyyy.MM.dd",
        explanation: """
          The optional <loaned> is the day on which the book was lent, in the form of an expiration. \
          It is only compared with the expiration.
          """,
        example: "<loaned>2026.11.1</loaned>",
        mended: "<loaned>2026.11.01</loaned>",
        remedy: """
          Write the date as yyyy.MM.dd. Where only the form is wrong, check-loans validate --fix does \
          it.
          """)
    case .expirationBeforeLoan:
      RuleText(
        summary: "an expiration is before the loan date",
        explanation: "A book cannot be due before it was lent: one of the two dates is a slip.",
        example: "<loaned>2026.11.07</loaned><expiration>2026.01.28</expiration>",
        mended: "<loaned>2026.11.07</loaned><expiration>2026.11.28</expiration>",
        remedy: "Correct the one that is wrong.")
    case .distantExpiration:
      RuleText(
        summary: "an expiration is further ahead than --max-days",
        explanation: """
          Looked for only with --max-days: a library that lends for four weeks has no loan that \
          expires in a year. Counted from today in the time zone given, or from --now.
          """,
        example: "<expiration>2062.12.01</expiration>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: "Check the year; if the loan is right, allow more days.")
    default:
      RuleText(
        summary: "an expiration is before 1970 or after 2099",
        explanation: """
          The loan is taken as it stands, but the year is probably a slip. Nobody is reminded of a \
          loan of the year 2206 in 2026.
          """,
        example: "<expiration>2206.12.01</expiration>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: "Check the year.")
    }
  }

  private var bookText: RuleText {
    switch self {
    case .duplicateID:
      RuleText(
        summary: "an earlier book has the same id",
        explanation: """
          The id is what tells one loan from another, from one day to the next. Both loans are \
          processed, but if one of them is changed or returned, the other may be told of again.
          """,
        example: """
          <book id="bk1"><title>Abigél</title></book>
          <book id="bk1"><title>Toldi</title></book>
          """,
        mended: """
          <book id="bk1"><title>Abigél</title></book>
          <book id="bk2"><title>Toldi</title></book>
          """,
        remedy: "Give each book an id of its own.")
    case .duplicateLoan:
      RuleText(
        summary: "an earlier book is the same loan",
        explanation: """
          Two loans have the same barcode, which only one copy can have; or, where there is no \
          barcode, the same ISBN, title, author, borrower and expiration, if there is a borrower, and a \
          title or an ISBN. The borrower would be reminded twice.
          """,
        example: """
          <book id="bk1"><title>Abigél</title><barcode>30053532</barcode>
            <expiration>2026.12.01</expiration></book>
          <book id="bk2"><title>Abigél</title><barcode>30053532</barcode>
            <expiration>2026.12.15</expiration></book>
          """,
        mended: """
          <book id="bk2"><title>Abigél</title><barcode>30053532</barcode>
            <expiration>2026.12.15</expiration></book>
          """,
        remedy: "Remove the loan that has ended, or correct the barcode.")
    case .missingTitle:
      RuleText(
        summary: "a book has no title",
        explanation: "Its notices can only name its id or barcode, which tells a borrower little.",
        example: "<book id=\"bk1\"><expiration>2026.12.01</expiration></book>",
        mended: """
          <book id="bk1"><title>Abigél</title><expiration>2026.12.01</expiration></book>
          """,
        remedy: "Add the title.")
    case .unknownCase:
      RuleText(
        summary: "a name is known only in another case",
        explanation: """
          XML tells <Expiration> from <expiration>; an element that is not known is ignored, and with \
          it perhaps a loan.
          """,
        example: "<Expiration>2026.12.01</Expiration>",
        mended: "<expiration>2026.12.01</expiration>",
        remedy: "Write the name as it is suggested.")
    case .unknownDateElement:
      RuleText(
        summary: "a date is under another name than expiration",
        explanation: """
          A book without <expiration> is on the shelf. This one has a date in an element or attribute \
          whose name is nearly expiration, or one that libraries use for it (due, expires, return-by), \
          so it may be a loan that nobody would be reminded of.
          """,
        example: """
          <book id="bk1"><title>Abigél</title><due>2026.12.01</due></book>
          """,
        mended: """
          <book id="bk1"><title>Abigél</title><expiration>2026.12.01</expiration></book>
          """,
        remedy: "Write it as <expiration>, or ignore the problem if it is another date.")
    case .invalidISBN:
      RuleText(
        summary: "an ISBN has the wrong length or check digit",
        explanation: """
          An ISBN has 10 digits, of which the last may be X, or 13 beginning with 978 or 979; the \
          last one is computed from the others, so that a slip shows. Hyphens, spaces and what \
          stands behind it in parentheses do not count.
          """,
        example: "<isbn>9789631193618</isbn>",
        mended: "<isbn>9789631193619</isbn>",
        remedy: "Compare it with the book.")
    case .invalidEmail:
      RuleText(
        summary: "a borrower's e-mail cannot be one",
        explanation: """
          Something like NAME@DOMAIN, one address, without spaces. Whether anybody has it is not \
          looked up.
          """,
        example: "<email>eszter.example.org</email>",
        mended: "<email>eszter@example.org</email>",
        remedy: "Correct or remove it.")
    default:
      RuleText(
        summary: "a comment silences nothing",
        explanation: """
          <!-- check-loans: ignore CODE --> before a book silences one finding of that code in it. \
          One that silences nothing may be left over, or its code misspelt, and would one day hide \
          a problem that nobody has seen. A reason may stand behind the codes in parentheses.
          """,
        example: """
          <!-- check-loans: ignore missing-title (a box of maps) -->
          <book id="bk1"><title>Abigél</title></book>
          """,
        mended: """
          <book id="bk1"><title>Abigél</title></book>
          """,
        remedy: "Remove the comment, correct its code, or move it directly before its book.")
    }
  }
}
