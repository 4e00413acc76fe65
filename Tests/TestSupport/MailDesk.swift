import Testing

/// A desk whose mail program puts messages into the Maildir `box` of the home, unless there is a file
/// `busy-ADDRESS` or `refused-ADDRESS`.
package struct MailDesk: Sendable {
  package let desk: Desk

  /// The settings, to which a test may add others.
  private static let settings = """
    notify = ["mail"]
    mail-from = "Town Library <desk@example.org>"
    mail-program = ["./send"]

    """

  /// - Parameters:
  ///   - loans: elements of the catalogue, as ``loan(_:_:_:_:_:)`` makes them.
  ///   - settings: what the settings have besides a sender and a mail program.
  package init(_ loans: [String], settings: String = "") throws {
    desk = try Desk(catalogue: Self.catalogue(loans))
    try desk.writeSettings(Self.settings + settings)
    try desk.folder.write(
      program: """
        #!/bin/sh
        for to; do :; done
        echo "$to" >> ~/tried
        [ -e ~/"busy-$to" ] && { echo 'try later' >&2; exit 75; }
        [ -e ~/"refused-$to" ] && { echo 'no such user' >&2; exit 67; }
        sleep 0.01
        mkdir -p ~/box/new ~/box/cur ~/box/tmp
        cat > ~/box/new/"$(printf %03d "$(wc -l < ~/tried)")"

        """, to: ".config/check-loans/send")
  }

  package static func catalogue(_ loans: [String]) -> String {
    "<books>\n" + loans.joined(separator: "\n") + "\n</books>\n"
  }

  /// Reads the catalogue and delivers what is due.
  package func run(_ arguments: String...) async throws -> Outcome {
    try await desk.run(arguments + ["books.xml"]).outcome
  }

  /// Whom the mail program was called for, in order.
  package var tried: [String] {
    desk.folder.contents(of: "tried").split(separator: "\n").map(String.init)
  }

  /// The messages in a Maildir or a file of the form mbox, as Python reads them, in order.
  package func mails(in box: String = "box") async throws -> [Mail] {
    guard desk.folder.contains(box) else { return [] }
    let result = try await Command(
      "/usr/bin/python3", ["-IS", "-c", Self.reader, "\(desk.folder.path)/\(box)"],
      environment: [:], directory: desk.folder.path
    ).run()
    #expect(result.errorText == "")
    return try JSON(parsing: result.text).elements.map(Mail.init)
  }

  private static let reader = """
    import email, email.policy, json, mailbox, os, sys
    def parse(file):
        return email.message_from_binary_file(file, policy=email.policy.default)
    path = sys.argv[1]
    box = (mailbox.Maildir if os.path.isdir(path) else mailbox.mbox)(path, parse, create=False)
    def part(message, kind):
        body = message.get_body((kind,))
        return body.get_content() if body else ""
    messages = [box[key] for key in sorted(box.keys())]
    print(json.dumps([
        {"to": message["To"], "subject": message["Subject"], "names": message.keys(),
         "language": message["Content-Language"], "defects": len(message.defects),
         "plain": part(message, "plain"), "html": part(message, "html")}
        for message in messages]))
    """
}

/// A message as a reader has it.
package struct Mail {
  package var to: String
  package var subject: String
  /// The names of the fields of the header.
  package var names: [String]
  package var language: String
  package var defects: Int?
  package var text: String
  package var html: String

  package init(_ json: JSON) {
    (to, subject) = (json.to.text ?? "", json.subject.text ?? "")
    names = json.names.elements.compactMap { name in name.text }
    (language, defects) = (json.language.text ?? "", json.defects.number)
    (text, html) = (json.plain.text ?? "", json.html.text ?? "")
  }

  /// The lines of the text about books.
  package var books: [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("- ") || $0.hasPrefix("  ") }.map(String.init)
  }
}

/// A loan that expires tomorrow, or on another day; the texts are XML.
package func loan(
  _ title: String, _ borrower: String, _ email: String?, _ expiration: String = "2026.11.22",
  _ rest: String = ""
) -> String {
  let email = email.map { "<email>\($0)</email>" } ?? ""
  return "<book><title>\(title)</title><borrower>\(borrower)</borrower>\(email)"
    + "<expiration>\(expiration)</expiration>\(rest)</book>"
}
