import ReminderService

/// Values for the days of a reload; those of another reload are not known.
struct DayValues<Value> {
  private var values: [(day: JudgedDay, value: Value)?] = []

  subscript(day: JudgedDay) -> Value? {
    get {
      guard day.number < values.count, let known = values[day.number] else { return nil }
      return known.day === day ? known.value : nil
    }
    set {
      while values.count <= day.number { values.append(nil) }
      values[day.number] = newValue.map { (day, $0) }
    }
  }
}
