import Loans

/// What a code stands for, in one sentence without a full stop.
func summary(of code: Diagnostic.Code) -> String {
  switch code {
  case .malformedXML: "The catalogue is not well-formed XML"
  case .externalEntity: "The catalogue refers to a text outside itself"
  case .unsupportedEncoding: "The catalogue's encoding is not supported"
  case .noLoans: "The catalogue holds no book record"
  case .dateFormat: "An expiration is not of the form yyyy.MM.dd"
  case .impossibleDate: "An expiration is not a calendar date"
  case .emptyExpiration: "An expiration is empty"
  case .missingExpiration: "A book has no expiration"
  case .duplicateExpiration: "A book has a second expiration"
  case .duplicateID: "A book has the id of an earlier one"
  case .missingTitle: "A book has no title"
  case .unlikelyDate: "An expiration is so far away that it is probably a slip"
  case .misplacedExpiration: "An expiration is not directly inside a book"
  case .unknownCase: "An element's name differs from a known one only in case"
  case .duplicateLoan: "An earlier record has the same loan"
  case .invalidISBN: "An ISBN has the wrong length or check digit"
  case .invalidEmail: "An e-mail address cannot be one"
  case .invalidLoanDate: "A loan date is not a date of the form yyyy.MM.dd"
  case .expirationBeforeLoan: "An expiration is before the loan date"
  case .distantExpiration: "An expiration is further ahead than was allowed"
  case .unusedIgnore: "A comment that was to silence a problem silences none"
  }
}
