#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

int check_loans_make_timer(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int check_loans_set_timer(int timer, long second) {
  // All zeros would stop the timer.
  struct itimerspec time = {.it_value = {.tv_sec = second > 0 ? second : 0, .tv_nsec = 1}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

static volatile int signal_pipe = -1;

static void note_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  // A full pipe holds the same signals already.
  ssize_t written = write(signal_pipe, &byte, 1);
  (void)written;
  errno = saved;
}

// Zero where there is none; many more than ever run at a time.
static atomic_int children[256];

static void note_child(int child) {
  for (size_t place = 0; place < sizeof children / sizeof *children; place++) {
    int none = 0;
    if (atomic_compare_exchange_strong(&children[place], &none, child)) return;
  }
}

void check_loans_forget_child(int child) {
  for (size_t place = 0; place < sizeof children / sizeof *children; place++) {
    int noted = child;
    if (atomic_compare_exchange_strong(&children[place], &noted, 0)) return;
  }
}

static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes,
                  const int descriptors[3], int isInForeground) {
  for (int number = 0; number < 3; number++) {
    int from = descriptors[number];
    // One of the first three would be overwritten before it is used, unless it stays what it is.
    if (from >= 0 && from < 3 && from != number) return EBADF;
    int error =
        from < 0 ? posix_spawn_file_actions_addopen(
                       actions, number, "/dev/null", number == 0 ? O_RDONLY : O_WRONLY, 0)
                 : posix_spawn_file_actions_adddup2(actions, from, number);
    if (error) return error;
  }
#if __GLIBC_PREREQ(2, 34)
  int error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (error) return error;
#endif
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(attributes, &signals);
  posix_spawnattr_setpgroup(attributes, 0);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!isInForeground) flags |= POSIX_SPAWN_SETPGROUP;
  return posix_spawnattr_setflags(attributes, flags);
}

static int start(const char *path, char *const *arguments, char *const *variables,
                 const int descriptors[3], int isInForeground) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&actions);
  if (error) return -error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    pid_t child = 0;
    error = set_up(&actions, &attributes, descriptors, isInForeground);
    if (!error) error = posix_spawn(&child, path, &actions, &attributes, arguments, variables);
    posix_spawnattr_destroy(&attributes);
    if (!error) {
      posix_spawn_file_actions_destroy(&actions);
      return child;
    }
  }
  posix_spawn_file_actions_destroy(&actions);
  return -error;
}

// How many children are being started, which nobody has noted yet.
static atomic_int starting;

int check_loans_start(const char *path, char *const *arguments, char *const *variables,
                      int input, int output, int errors, int isNoted) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  atomic_fetch_add(&starting, 1);
  int child = start(path, arguments, variables, (int[]){input, output, errors}, 0);
  if (isNoted && child > 0) note_child(child);
  atomic_fetch_sub(&starting, 1);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return child;
}

int check_loans_start_in_foreground(const char *path, char *const *arguments,
                                    char *const *variables, int input) {
  return start(path, arguments, variables, (int[]){input, STDOUT_FILENO, STDERR_FILENO}, 1);
}

int check_loans_watch_child(int child) { return (int)syscall(SYS_pidfd_open, child, 0); }

static void end_with_children(int number) {
  // The thread that starts one is not this one, since it has blocked all signals; it needs some
  // milliseconds at most.
  struct timespec pause = {.tv_nsec = 1000000};
  for (int round = 0; round < 1000 && atomic_load(&starting) > 0; round++) nanosleep(&pause, NULL);
  for (size_t place = 0; place < sizeof children / sizeof *children; place++) {
    int child = atomic_load(&children[place]);
    if (child == 0) continue;
    kill(-child, SIGKILL);
    // It may have left its group.
    kill(child, SIGKILL);
  }
  // It comes when this returns, because until then all signals are blocked.
  signal(number, SIG_DFL);
  raise(number);
}

static atomic_int is_told_to_stop;

static void note_stop(int number) {
  if (atomic_exchange(&is_told_to_stop, 1)) {
    end_with_children(number);
  } else {
    note_signal(number);
  }
}

int check_loans_catch_signal(int number, int pipe, int stops) {
  struct sigaction action = {.sa_handler = stops ? note_stop : note_signal, .sa_flags = SA_RESTART};
  signal_pipe = pipe;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int check_loans_end_with_children(int number) {
  struct sigaction action = {.sa_handler = end_with_children};
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int check_loans_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int check_loans_make_memory_file(void) { return memfd_create("check-loans", MFD_CLOEXEC); }

int check_loans_copy_attributes(const char *path, int file) {
  ssize_t size = listxattr(path, NULL, 0);
  if (size < 0) return errno == ENOTSUP ? 0 : -1;
  if (size == 0) return 0;
  // The longest value that Linux allows.
  size_t longest = 65536;
  char *names = malloc((size_t)size + longest);
  if (names == NULL) return -1;
  char *value = names + size;
  int result = 0;
  size = listxattr(path, names, (size_t)size);
  if (size < 0) result = -1;
  for (char *name = names; result == 0 && name < names + size; name += strlen(name) + 1) {
    if (strncmp(name, "security.", 9) == 0 || strncmp(name, "trusted.", 8) == 0) continue;
    ssize_t length = getxattr(path, name, value, longest);
    if (length < 0 || fsetxattr(file, name, value, (size_t)length, 0) != 0) result = -1;
  }
  int number = errno;
  free(names);
  errno = number;
  return result;
}

static locale_t width_tables;

static void find_width_tables(void) { width_tables = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL); }

int check_loans_columns(unsigned int character) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_width_tables);
  locale_t before = uselocale(width_tables);
  int columns = wcwidth((wchar_t)character);
  uselocale(before);
  return columns < 0 ? 1 : columns;
}

int check_loans_processor_count(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

unsigned int check_loans_device_major(unsigned long device) { return major(device); }

unsigned int check_loans_device_minor(unsigned long device) { return minor(device); }

unsigned int check_loans_file_system_type(const char *path) {
  struct statfs status;
  return statfs(path, &status) == 0 ? (unsigned int)status.f_type : 0;
}
