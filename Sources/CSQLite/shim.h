#include <sqlite3.h>

/// Turns off SQLite's memory statistics: each allocation would take a lock that all connections share.
/// sqlite3_config() is variadic, so Swift cannot call it.
static inline void check_loans_turn_off_memory_statistics(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
