// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
  ]
  + (Context.environment["WARNINGS_AS_ERRORS"] == "1" ? [.treatAllWarnings(as: .error)] : [])
  // Makes the places named in the code where a test can stop the program; never in a release.
  + (Context.environment["FAILPOINTS"] == "1" ? [.define("FAILPOINTS")] : [])

// What `make fuzz` builds, with instruments that nothing else needs.
let fuzzers: [Target] =
  Context.environment["FUZZ"] != "1"
  ? []
  : [
    .executableTarget(
      name: "CatalogueFuzzer", dependencies: ["CatalogueProperties"],
      path: "Fuzz/CatalogueFuzzer", swiftSettings: settings)
  ]

// What is compiled as it is written, by as many compilers as there are cores, in the optimised build
// of the tests: the tests, and what they start for so short a time that to optimise it takes longer.
// Swift 6.3's compiler also crashes over some of the command's tests when it optimises them.
let plain: [SwiftSetting] = [
  .unsafeFlags(["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"])
]
let testSettings = settings + plain
let commandSettings = settings + (Context.environment["FAILPOINTS"] == "1" ? plain : [])

// How the catalogues of other programs are read.
let foreignForms = [
  "native", "ncip2", "koha-ilsdi", "alma", "tellico", "opds", "aleph", "voyager", "datacrow",
  "ncip1", "gcstar", "evergreen", "marcxml", "mariadb", "postgresql",
]

// What people are written to in, besides English.
let languages = ["hu", "de", "cs", "ru", "zh"]

let package = Package(
  name: "check-loans",
  products: [
    .executable(name: "check-loans", targets: ["CheckLoans"]),
    .library(
      name: "LoanReminders",
      targets: [
        "Languages", "Loans", "LoanCatalogue", "LoanRules", "Mail", "ReminderSchedule", "Notifiers",
        "ReminderService", "System",
      ]),
  ],
  // Exactly these, so that no new version of them gets into a build unseen.
  dependencies: [
    // The command line: parsing, help, and the shell completions.
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    // Files and the errors of calls about them, with a type of their own and in one way.
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // For catalogues that come as .gz; libxml2 has it in memory already.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // For those in a ZIP archive, or compressed by bzip2, xz or zstd; libarchive is loaded only for them.
    .target(name: "CArchive", dependencies: ["CZlib"]),
    .target(name: "CLinux"),
    // The settings file: TOML as people know it from other tools, by toml++, which consists of headers.
    .target(name: "CTOML"),
    // Recurrence rules of calendars, a known pit; libical is loaded only where a calendar has some.
    .target(name: "CIcal"),
    .target(name: "Failpoints", swiftSettings: settings),
    .target(
      name: "System",
      dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: settings),
    .target(name: "Loans", swiftSettings: settings),
    .target(
      name: "LoanCatalogue",
      dependencies: [
        "CArchive", "CLibXML2", "CZlib", "Loans", "System",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      // In the binary itself, which is all that is installed.
      resources: foreignForms.map { .embedInCode("Profiles/Forms/\($0).xml") },
      swiftSettings: settings),
    .target(name: "LoanRules", dependencies: ["Loans"], swiftSettings: settings),
    .target(name: "Calendar", dependencies: ["CIcal", "Loans"], swiftSettings: commandSettings),
    .target(
      name: "ReminderSchedule",
      dependencies: [
        "CSQLite", "Failpoints", "Loans", "System",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: settings),
    .target(
      name: "Languages", dependencies: ["Loans"],
      // In the binary itself, which is all that is installed.
      resources: (languages.map { "\($0).po" } + ["check-loans.pot"]).map {
        .embedInCode("Translations/\($0)")
      },
      swiftSettings: settings),
    .target(name: "Mail", dependencies: ["Languages", "Loans"], swiftSettings: commandSettings),
    .target(
      name: "Notifiers",
      dependencies: [
        "Languages", "Loans", "Mail", "System",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: commandSettings),
    .target(
      name: "ReminderService",
      dependencies: [
        "Failpoints", "Languages", "Loans", "LoanCatalogue", "LoanRules", "ReminderSchedule",
        "Notifiers",
      ],
      swiftSettings: settings),
    // The rooms of the command. No room knows a command; what one is to do is in a request.
    .target(
      name: "CommandOutput",
      dependencies: [
        "CLinux", "Languages", "LoanCatalogue", "Loans", "System",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: commandSettings),
    .target(
      name: "Reports",
      dependencies: [
        "CommandOutput", "Languages", "LoanCatalogue", "LoanRules", "Loans", "Mail",
        "ReminderSchedule", "ReminderService", "System",
      ],
      // In the binary itself, which is all that is installed.
      resources: [.embedInCode("Page/page.css"), .embedInCode("Page/page.js")],
      swiftSettings: commandSettings),
    .target(
      name: "Validation",
      dependencies: [
        "CommandOutput", "Languages", "LoanCatalogue", "LoanRules", "Loans", "System",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: commandSettings),
    .target(
      name: "Settings",
      dependencies: [
        "CTOML", "Calendar", "CommandOutput", "Languages", "LoanCatalogue", "LoanRules", "Loans",
        "Mail", "Notifiers", "ReminderService", "System",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      // In the binary itself, which is all that is installed.
      resources: [.embedInCode("File/config.toml")],
      swiftSettings: commandSettings),
    .target(
      name: "Runs",
      dependencies: [
        "CLinux", "Calendar", "CommandOutput", "Languages", "LoanCatalogue", "LoanRules", "Loans",
        "Mail", "Notifiers", "ReminderSchedule", "ReminderService", "Reports", "Settings", "System",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: commandSettings),
    .executableTarget(
      name: "CheckLoans",
      dependencies: [
        "Calendar", "CommandOutput", "Languages", "LoanCatalogue", "LoanRules", "Loans", "Mail",
        "Notifiers", "ReminderSchedule", "ReminderService", "Reports", "Runs", "Settings", "System",
        "Validation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      // In the binary itself, which is all that is installed.
      resources: [.embedInCode("Schemas/books.rng"), .embedInCode("Schemas/books.xsd")],
      swiftSettings: commandSettings),
    // The documentation's example of a program that uses the library.
    .executableTarget(
      name: "RemindMe",
      dependencies: [
        "LoanCatalogue", "LoanRules", "Loans", "Notifiers", "ReminderSchedule", "ReminderService",
        "System",
      ],
      path: "Examples/RemindMe", swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["CZlib", "Loans"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .target(
      name: "CatalogueProperties",
      dependencies: ["CLibXML2", "LoanCatalogue", "LoanRules", "Loans"],
      path: "Tests/CatalogueProperties", swiftSettings: settings),
    .testTarget(
      name: "LoansTests", dependencies: ["Loans", "TestSupport"], swiftSettings: testSettings),
    .testTarget(
      name: "LoanCatalogueTests",
      dependencies: [
        "CatalogueProperties", "Loans", "LoanCatalogue", "LoanRules", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "LoanRulesTests", dependencies: ["Loans", "LoanRules", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "CalendarTests", dependencies: ["Calendar", "Loans", "TestSupport"],
      exclude: ["Tools"], swiftSettings: testSettings),
    .testTarget(
      name: "LanguagesTests", dependencies: ["Languages", "Loans", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "MailTests", dependencies: ["Languages", "Loans", "Mail", "TestSupport"],
      exclude: ["Golden", "Tools"], swiftSettings: testSettings),
    .testTarget(
      name: "ReminderScheduleTests", dependencies: ["Loans", "ReminderSchedule", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "NotifiersTests",
      dependencies: ["Languages", "Loans", "Mail", "Notifiers", "System", "TestSupport"],
      exclude: ["Tools"], swiftSettings: testSettings),
    .testTarget(
      name: "ReminderServiceTests",
      dependencies: [
        "LoanCatalogue", "LoanRules", "Loans", "Notifiers", "RemindMe", "ReminderSchedule",
        "ReminderService", "TestSupport",
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "CommandOutputTests",
      dependencies: ["CommandOutput", "Loans", "System", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "ReportsTests",
      dependencies: ["CheckLoans", "CommandOutput", "Loans", "Reports", "TestSupport"],
      exclude: ["Pages", "Screens", "Tools"], swiftSettings: testSettings),
    .testTarget(
      name: "ValidationTests",
      dependencies: [
        "CheckLoans", "CommandOutput", "LoanCatalogue", "LoanRules", "Loans", "System",
        "TestSupport", "Validation",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "SettingsTests",
      dependencies: ["CheckLoans", "CommandOutput", "Loans", "Settings", "TestSupport"],
      swiftSettings: testSettings),
    .testTarget(
      name: "RunsTests",
      dependencies: [
        "CheckLoans", "CommandOutput", "LoanCatalogue", "Loans", "Mail", "Notifiers", "Runs",
        "Settings", "System", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: testSettings),
    .testTarget(
      name: "CheckLoansTests",
      dependencies: [
        "CheckLoans", "CommandOutput", "Languages", "LoanCatalogue", "Loans", "Mail", "Notifiers",
        "Reports", "Runs", "Settings", "System", "TestSupport", "Validation",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["help.txt", "Tools"], swiftSettings: testSettings),
    .testTarget(
      name: "FaultTests", dependencies: ["CheckLoans", "Loans", "TestSupport"],
      exclude: ["Shim"], swiftSettings: testSettings),
  ] + fuzzers,
  cxxLanguageStandard: .cxx17
)
