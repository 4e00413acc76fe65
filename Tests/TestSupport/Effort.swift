/// How much of what could go on for ever is tried: some of it by `make test`, all by `make test-all`.
public enum Effort {
  /// Whether everything is to be tried, which takes hours: `CHECK_LOANS_EFFORT=full`.
  public static let isFull = testVariable("CHECK_LOANS_EFFORT") == "full"

  /// How many random moments are tried: `CHECK_LOANS_KILLS`.
  public static let kills = testVariable("CHECK_LOANS_KILLS").flatMap { Int($0) } ?? 20

  /// The first quarter of some seeds, or all of them.
  public static func seeds<Seed: FixedWidthInteger>(_ all: Range<Seed>) -> Range<Seed>
  where Seed.Stride: SignedInteger {
    isFull ? all : all.lowerBound..<all.lowerBound + (Seed(all.count) + 3) / 4
  }
}
