import Testing

@testable import Mail

@Suite struct QuotedPrintableTests {}
