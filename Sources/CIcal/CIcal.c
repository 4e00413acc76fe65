#include "CIcal.h"

#include <dlfcn.h>
#include <libical/ical.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

// The functions that are used, each with the type that the header declares.
#define FUNCTIONS(each)                \
  each(icalerror_set_errors_are_fatal) \
  each(icalrecurrencetype_from_string) \
  each(icalrecur_iterator_new)         \
  each(icalrecur_iterator_next)        \
  each(icalrecur_iterator_free)

#define MEMBER(name) __typeof__(name) *name;
struct library {
  FUNCTIONS(MEMBER)
};

// Whether the library is there with all of them; it stays loaded.
static int load(struct library *library) {
  void *handle = dlopen("libical.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define LOOK_UP(name) \
  if (!(library->name = (__typeof__(name) *)dlsym(handle, #name))) return 0;
  FUNCTIONS(LOOK_UP)
  return 1;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int number(int year, int month, int day) { return (year * 100 + month) * 100 + day; }

static int number_of(struct check_loans_day day) { return number(day.year, day.month, day.day); }

int check_loans_expand_rule(const char *rule, struct check_loans_day start,
                            struct check_loans_day first, struct check_loans_day last,
                            struct check_loans_day *days, int capacity, double seconds) {
  struct library ical;
  if (!load(&ical)) return CHECK_LOANS_NO_LIBICAL;
  ical.icalerror_set_errors_are_fatal(0);
  struct icalrecurrencetype recurrence = ical.icalrecurrencetype_from_string(rule);
  switch (recurrence.freq) {
    case ICAL_DAILY_RECURRENCE:
    case ICAL_WEEKLY_RECURRENCE:
    case ICAL_MONTHLY_RECURRENCE:
    case ICAL_YEARLY_RECURRENCE:
      break;
    default:
      return CHECK_LOANS_BAD_RULE;
  }
  // Whole days end with a day, also where the rule has a time of it.
  recurrence.until.is_date = 1;
  recurrence.until.hour = recurrence.until.minute = recurrence.until.second = 0;
  // Whole days have no times to choose from; such parts must be ignored.
  memset(recurrence.by_hour, ICAL_RECURRENCE_ARRAY_MAX_BYTE, sizeof recurrence.by_hour);
  memset(recurrence.by_minute, ICAL_RECURRENCE_ARRAY_MAX_BYTE, sizeof recurrence.by_minute);
  memset(recurrence.by_second, ICAL_RECURRENCE_ARRAY_MAX_BYTE, sizeof recurrence.by_second);
  struct icaltimetype time = {
      .year = start.year, .month = start.month, .day = start.day, .is_date = 1};
  icalrecur_iterator *iterator = ical.icalrecur_iterator_new(recurrence, time);
  if (!iterator) return CHECK_LOANS_BAD_RULE;
  int count = 0, previous = 0;
  // A rule may repeat every day from the year 1 on, or of a calendar that is slow to work out.
  double deadline = seconds_now() + seconds;
  for (int step = 0; count < capacity; step++) {
    if (step % 128 == 0 && seconds_now() >= deadline) {
      count = CHECK_LOANS_TOO_SLOW;
      break;
    }
    time = ical.icalrecur_iterator_next(iterator);
    int day = number(time.year, time.month, time.day);
    // The null time, which is the end, is in year 0.
    if (time.year == 0 || day > number_of(last)) break;
    if (day == previous) continue;
    previous = day;
    if (day < number_of(first)) continue;
    days[count++] =
        (struct check_loans_day){.year = time.year, .month = time.month, .day = time.day};
  }
  ical.icalrecur_iterator_free(iterator);
  return count;
}
