// What is asked of libical: the days of a recurrence rule.

#ifndef CHECK_LOANS_CICAL_H
#define CHECK_LOANS_CICAL_H

/// Why a rule has no days.
enum {
  /// libical is not installed.
  CHECK_LOANS_NO_LIBICAL = -1,
  /// The rule makes no sense, or repeats within a day.
  CHECK_LOANS_BAD_RULE = -2,
  /// It took longer than it may.
  CHECK_LOANS_TOO_SLOW = -3,
};

/// A day, each part from 1.
struct check_loans_day {
  int year, month, day;
};

/// Writes the days of a recurrence rule (RFC 5545, section 3.3.10) into an array, in order: those from
/// `first` to `last` that fit into it.
///
/// libical is loaded when it is first asked for: it brings libraries along that are loaded more slowly
/// than the rest of the program starts. dlopen(3), icalrecur_iterator_new, icalrecur_iterator_next.
///
/// Gives up after some seconds; but libical may look a second or two longer for a day that does not exist,
/// such as 30 February.
///
/// Returns how many days there are, or why there are none.
int check_loans_expand_rule(const char *rule, struct check_loans_day start,
                            struct check_loans_day first, struct check_loans_day last,
                            struct check_loans_day *days, int capacity, double seconds);

#endif
