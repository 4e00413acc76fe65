import TestSupport
import Testing

/// The channels of `Examples/channels`, with a server in place of the services.
struct ChannelRecipeTests {
  /// What a service got, as it would read it.
  struct Request {
    var method = ""
    var path = ""
    var headers: JSON
    var body = ""
    /// The fields of a form.
    var form: [String: String] {
      let pairs = body.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
      return Dictionary(uniqueKeysWithValues: pairs.map { ("\($0[0])", decoded($0.last ?? "")) })
    }

    private func decoded(_ text: Substring) -> String {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%"),
          let code = UInt8(String(decoding: Array(rest.prefix(2)), as: UTF8.self), radix: 16)
        {
          bytes.append(code)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// A title that means something to shells, forms, headers and JSON.
  private static let title = "Ünnep @&=+%41 $(touch x) {title} \\\" '\u{9B}'\r\nPriority: 5"
  private static let line =
    "“Ünnep @&=+%41 $(touch x) {title} \\\" '\\u{9b}' Priority: 5” is due tomorrow, "
    + "22 November 2026"
  private static let heading =
    "“Ünnep @&=+%41 $(touch x) {title} \\\" '' Priority: 5” is due tomorrow"

  /// A desk with a recipe as its settings, and with what the recipe says to put into other files.
  private func desk(
    _ recipe: String, _ edit: (inout String) -> Void = { _ in }
  ) throws -> (desk: Desk, channel: String, variables: [String: String]) {
    let desk = try Desk(catalogue: catalogue((Self.title, "2026.11.22")))
    var text = try File.text(of: "\(projectDirectory)/Examples/channels/\(recipe).toml")
    edit(&text)
    try desk.writeSettings(text)
    let secret = try Self.secret(in: text)
    let channel = try #require(text.firstMatch(of: #/\nname = "(.*)"/#)?.1)
    #expect(text.contains("put \"\(channel)\" into notify"))
    let parts = secret.split(separator: "=", maxSplits: 1).map(String.init)
    if parts[0] == "APPRISE_URLS" { return (desk, String(channel), [parts[0]: parts[1]]) }
    try desk.folder.write(secret + "\n", to: ".config/check-loans/\(recipe).curl")
    return (desk, String(channel), [:])
  }

  /// The line of a recipe's comment that goes elsewhere.
  private static func secret(in recipe: String) throws -> String {
    let lines = recipe.split(separator: "\n").compactMap {
      $0.wholeMatch(of: #/#   (\S.*)/#).map { String($0.1) }
    }
    try #require(lines.count == 1)
    return lines[0]
  }

  /// What the service gets of what is due.
  private func requests(
    _ desk: Desk, _ channel: String, _ variables: [String: String] = [:],
    errors: String = "", status: Int32 = 0
  ) async throws -> [Request] {
    var command = desk.command([
      "\(projectDirectory)/Tests/CheckLoansTests/Tools/record_requests.py",
      "\(desk.folder.path)/.config/check-loans", Command.checkLoans, "--notify", channel,
      "books.xml",
    ])
    command.program = "/usr/bin/python3"
    command.environment.merge(variables) { $1 }
    let result = try await command.run()
    #expect(result.errorText == errors)
    #expect(result.status == status)
    return try JSON(parsing: result.text).elements.map { request in
      Request(
        method: request.method.text ?? "", path: request.path.text ?? "",
        headers: request.headers, body: request.body.text ?? "")
    }
  }

  private func request(_ recipe: String) async throws -> Request {
    let (desk, channel, variables) = try desk(recipe)
    let requests = try await requests(desk, channel, variables)
    #expect(!desk.folder.contains("x"))
    try #require(requests.count == 1)
    #expect(try await desk.pending() == [])
    return requests[0]
  }

  @Test func `ntfy gets the title, the priority and the text`() async throws {
    let request = try await request("ntfy")
    #expect(request.method == "POST")
    #expect(request.path == "/our-library-books")
    #expect(request.headers["title"] == .string(Self.heading))
    #expect(request.headers["priority"] == "3")
    #expect(request.headers["authorization"] == "Bearer tk_example")
    #expect(request.body == "\(Self.line)\n")
  }

  @Test func `Gotify gets the title, the priority and the text`() async throws {
    let request = try await request("gotify")
    #expect(request.method == "POST")
    #expect(request.path == "/message")
    #expect(request.headers["x-gotify-key"] == "Aexample")
    #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
    #expect(
      request.form == ["title": Self.heading, "message": "\(Self.line)\n", "priority": "3"])
  }

  @Test func `Telegram gets a message for each notice`() async throws {
    let request = try await request("telegram")
    #expect(request.method == "POST")
    #expect(request.path == "/bot110201543:example/sendMessage")
    #expect(request.form == ["chat_id": "-1001234567890", "text": Self.line])

    let (desk, channel, _) = try desk("telegram")
    let long = String(repeating: "ű", count: 10_000)
    try desk.folder.write(
      catalogue((long, "2026.11.22"), ("b", "2026.11.10")), to: "books.xml")
    let texts = try await requests(desk, channel).compactMap { $0.form["text"] }
    #expect(texts.count == 2)
    #expect(texts.allSatisfy { $0.utf16.count <= 4_096 })
  }

  @Test func `Matrix gets an event for the room, with its own transaction`() async throws {
    let request = try await request("matrix")
    #expect(request.method == "PUT")
    let path = "/_matrix/client/v3/rooms/%21room%3Aexample.org/send/m.room.message/"
    #expect(request.path.hasPrefix(path))
    #expect(UInt(request.path.dropFirst(path.count)) != nil)
    #expect(request.headers["authorization"] == "Bearer syt_example")
    let body = try JSON(parsing: request.body)
    #expect(body.msgtype == "m.text")
    #expect(body.body == .string(Self.line))
  }

  @Test func `Home Assistant gets a form at its webhook`() async throws {
    let request = try await request("home-assistant")
    #expect(request.method == "POST")
    #expect(request.path == "/api/webhook/our-library-books-example")
    #expect(
      request.form == ["title": Self.heading, "message": "\(Self.line)\n", "urgency": "normal"])
  }

  @Test(.enabled(if: PublicTools.areWanted, "\(PublicTools.hint)"))
  func `Apprise gets the title and the text`() async throws {
    var (desk, channel, variables) = try desk("apprise")
    let tools = try #require(PublicTools.interpreter).split(separator: "/").dropLast()
    desk.environment["PATH"] = "/\(tools.joined(separator: "/")):/usr/bin:/bin"
    let requests = try await requests(desk, channel, variables)
    try #require(requests.count == 1)
    let body = try JSON(parsing: requests[0].body)
    #expect(requests[0].path == "/example")
    #expect(body.title == .string(Self.heading))
    #expect(body.message == .string(Self.line))
    #expect(body.type == "warning")
  }

  @Test func `What a service refuses stays pending, and its answer is reported`() async throws {
    let (desk, channel, _) = try desk("ntfy") { $0.replace("our-library-books", with: "refused") }
    let requests = try await requests(
      desk, channel,
      errors: """
        check-loans: phone: /usr/bin/curl failed with exit status 22: curl: (22) The requested URL \
        returned error: 403; if this persists, correct its [[channel]] table; 1 notice stays pending

        """, status: 69)
    #expect(requests.count == 1)
    #expect(try await desk.pending().count == 1)
  }

  @Test func `No secret is among the arguments of a recipe, and each has a test`() throws {
    let names = try File.names(in: "\(projectDirectory)/Examples/channels").sorted()
    #expect(
      names == [
        "apprise.toml", "gotify.toml", "home-assistant.toml", "matrix.toml", "ntfy.toml",
        "telegram.toml",
      ])
    for name in names {
      let text = try File.text(of: "\(projectDirectory)/Examples/channels/\(name)")
      let table = try #require(text.split(separator: "\n[[channel]]").last)
      let found = try Self.secret(in: text).firstMatch(of: #/[A-Za-z0-9_:-]*example\b/#)
      let secret = try #require(found).0
      #expect(!table.contains(secret), "\(name)")
    }
  }
}
