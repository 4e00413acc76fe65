import Testing

/// A document of another system with one loan in it, of a book called Abigél.
package struct ForeignSystem: CustomTestStringConvertible, Sendable {
  /// The name of its profile.
  package var profile: String
  /// The document, with `DUE` in place of the date.
  package var text: String
  /// The date, for an expiration on 22 November 2026 and on 20 December.
  package var due: (first: String, renewed: String)
  /// What is told of the loan beside its title and its day.
  package var details = ""
  /// Of a book that is called otherwise.
  package var title = "\"Abigél\""

  package var testDescription: String { profile }

  package func document(due: String) -> String { text.replacing("DUE", with: due) }

  package static let all: [ForeignSystem] = [
    ForeignSystem(
      profile: "ncip2",
      text: """
        <n:NCIPMessage xmlns:n="http://www.niso.org/2008/ncip"><n:LookupUserResponse>
        <n:LoanedItem><n:ItemId><n:ItemIdentifierValue>7</n:ItemIdentifierValue></n:ItemId>
        <n:DateDue>DUE</n:DateDue><n:Title>Abigél</n:Title></n:LoanedItem>
        <n:UserOptionalFields><n:NameInformation><n:PersonalNameInformation>
        <n:StructuredPersonalUserName><n:GivenName>Eszter</n:GivenName><n:Surname>Rónai</n:Surname>
        </n:StructuredPersonalUserName></n:PersonalNameInformation></n:NameInformation>
        </n:UserOptionalFields></n:LookupUserResponse></n:NCIPMessage>
        """,
      due: ("2026-11-21T23:00:00Z", "2026-12-19T23:00:00Z"), details: ", lent to Eszter Rónai"),
    ForeignSystem(
      profile: "koha-ilsdi",
      text: """
        <GetPatronInfo><title>Mrs</title><loans><loan><barcode>7</barcode><title>Abigél</title>
        <author>Szabó Magda</author><date_due>DUE</date_due></loan></loans>
        <surname>Rónai</surname><firstname>Eszter</firstname></GetPatronInfo>
        """,
      due: ("2026-11-22 23:59:00", "2026-12-20 23:59:00"),
      details: ", by Szabó Magda, lent to Eszter Rónai"),
    ForeignSystem(
      profile: "alma",
      text: """
        <item_loans total_record_count="1"><item_loan><loan_id>7</loan_id><title>Abigél</title>
        <user_id>R7</user_id><due_date>DUE</due_date><loan_status>Active</loan_status>
        </item_loan></item_loans>
        """,
      due: ("2026-11-22T17:00:00.000Z", "2026-12-20T17:00:00Z"), details: ", lent to R7"),
    ForeignSystem(
      profile: "tellico",
      text: """
        <tellico xmlns="http://periapsis.org/tellico/" syntaxVersion="11"><collection type="2">
        <entry id="3"><title>Abigél</title><authors><author>Szabó Magda</author></authors></entry>
        </collection><borrowers><borrower name="Eszter" uid="b"><loan uid="7" entryRef="3"
        loanDate="2026-11-01" dueDate="DUE"/></borrower></borrowers></tellico>
        """,
      due: ("2026-11-22", "2026-12-20"), details: ", by Szabó Magda, lent to Eszter"),
    ForeignSystem(
      profile: "opds",
      text: """
        <feed xmlns="http://www.w3.org/2005/Atom" xmlns:o="http://opds-spec.org/2010/catalog">
        <entry><id>urn:7</id><title>Abigél</title><author><name>Szabó Magda</name></author>
        <link rel="http://opds-spec.org/acquisition" href="x"><o:availability status="available"
        since="2026-11-01T00:00:00Z" until="DUE"/></link></entry></feed>
        """,
      due: ("2026-11-22T10:00:00Z", "2026-12-20T10:00:00Z"), details: ", by Szabó Magda"),
    ForeignSystem(
      profile: "aleph",
      text: """
        <bor-info><item-l><z36><z36-due-date>DUE</z36-due-date><z36-due-hour>24:00</z36-due-hour></z36>
        <z30><z30-barcode>7</z30-barcode></z30><z13><z13-title>Abigél</z13-title></z13></item-l></bor-info>
        """,
      due: ("20261122", "20261220")),
    ForeignSystem(
      profile: "voyager",
      text: """
        <response><reply-text>ok</reply-text><reply-code>0</reply-code><loans><institution id="L">
        <loan><itemId>7</itemId><dueDate>DUE</dueDate><title>Abigél</title></loan>
        <partial>N</partial></institution></loans></response>
        """,
      due: ("2026-11-22 23:59", "2026-12-20 23:59")),
    ForeignSystem(
      profile: "datacrow",
      text: """
        <data-crow-objects><book><id>7</id><title>Abigél</title><lend-by>Eszter</lend-by>
        <loan-start-date>2026-11-01</loan-start-date><due-date>DUE</due-date><loan-end-date/></book>
        </data-crow-objects>
        """,
      due: ("2026-11-22", "2026-12-20"), details: ", lent to Eszter"),
    ForeignSystem(
      profile: "ncip1",
      text: """
        <!DOCTYPE NCIPMessage PUBLIC "-//NISO//NCIP DTD Version 1.0//EN" "http://example.org/ncip.dtd">
        <NCIPMessage><LookupUserResponse><UniqueUserId><UserIdentifierValue>R7</UserIdentifierValue>
        </UniqueUserId><UserTransaction><LoanedItem><UniqueItemId><ItemIdentifierValue>7\
        </ItemIdentifierValue></UniqueItemId><DateDue>DUE</DateDue></LoanedItem></UserTransaction>
        </LookupUserResponse></NCIPMessage>
        """,
      due: ("2026-11-22T00:00+01:00", "2026-12-20T00:00+01:00"), details: ", lent to R7",
      title: "(untitled, id 7)"),
    ForeignSystem(
      profile: "gcstar",
      text: """
        <collection type="GCbooks" items="1"><item id="7" title="Abigél" borrower="Eszter"
        lendDate="DUE"/></collection>
        """,
      due: ("25/10/2026", "22/11/2026"), details: ", lent to Eszter"),
    ForeignSystem(
      profile: "evergreen",
      text: """
        <record xmlns="http://www.loc.gov/MARC21/slim"><datafield tag="245"><subfield code="a">Abigél\
        </subfield></datafield><holdings xmlns="http://open-ils.org/spec/holdings/v1"><volumes><volume>
        <copies><copy barcode="7"><current_circulation><circ id="c7" xact_start="2026-11-01T10:00:00+01:00"
        due_date="DUE"/></current_circulation></copy></copies></volume></volumes></holdings></record>
        """,
      due: ("2026-11-22T23:59:59+01:00", "2026-12-20T23:59:59+01:00")),
    ForeignSystem(
      profile: "marcxml",
      text: """
        <collection xmlns="http://www.loc.gov/MARC21/slim"><record><datafield tag="952">
        <subfield code="p">7</subfield><subfield code="q">DUE</subfield></datafield>
        <datafield tag="245"><subfield code="a">Abigél</subfield></datafield></record></collection>
        """,
      due: ("2026-11-22", "2026-12-20")),
    ForeignSystem(
      profile: "mariadb",
      text: """
        <resultset statement="SELECT …" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><row>
        <field name="id">7</field><field name="title">Abigél</field><field name="author" xsi:nil="true" />
        <field name="borrower">Eszter</field><field name="expiration">DUE</field></row></resultset>
        """,
      due: ("2026-11-22 23:59:00", "2026-12-20 23:59:00"), details: ", lent to Eszter"),
    ForeignSystem(
      profile: "postgresql",
      text: """
        <table xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><row><id>7</id><title>Abigél</title>
        <author xsi:nil="true"/><borrower>Eszter</borrower><expiration>DUE</expiration></row></table>
        """,
      due: ("2026-11-22T22:59:59+00:00", "2026-12-20T22:59:59+00:00"), details: ", lent to Eszter"),
  ]
}
