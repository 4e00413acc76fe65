#include <sqlite3.h>

/// Leaves out statistics of memory, for which each allocation would take a lock that all connections
/// share; sqlite3_config(), which Swift cannot call. Has no effect once a connection was opened.
static inline void check_loans_leave_out_memory_statistics(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
