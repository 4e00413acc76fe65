@main
enum CheckLoans { static func main() {} }
