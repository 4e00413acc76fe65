#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// Preloaded, makes one of the calls fail that it takes to start a child: the FAULT_AT-th of those
// that FAULT_CALL names, with the number FAULT_ERRNO of errno(3).

static int fails(const char *name) {
  static atomic_int calls;
  const char *call = getenv("FAULT_CALL");
  if (!call || strcmp(call, name)) return 0;
  if (atomic_fetch_add(&calls, 1) + 1 != atoi(getenv("FAULT_AT"))) return 0;
  errno = atoi(getenv("FAULT_ERRNO"));
  return 1;
}

int pipe2(int ends[2], int flags) {
  return fails("pipe2") ? -1 : (int)syscall(SYS_pipe2, ends, flags);
}

// One that fails has closed it all the same.
int close(int file) {
  int result = (int)syscall(SYS_close, file);
  return fails("close") ? -1 : result;
}
