#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/timerfd.h>
#include <unistd.h>

int check_loans_make_timer(void) {
  return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
}

int check_loans_set_timer(int timer, long second) {
  // All zeros would stop the timer.
  struct itimerspec time = {.it_value = {.tv_sec = second > 0 ? second : 0, .tv_nsec = 1}};
  return timerfd_settime(timer, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

int check_loans_make_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0) return -1;
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
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

int check_loans_catch_signal(int number, int pipe, int once) {
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
  if (once) action.sa_flags |= SA_RESETHAND;
  signal_pipe = pipe;
  sigfillset(&action.sa_mask);
  return sigaction(number, &action, NULL);
}

int check_loans_is_ignored(int number) {
  struct sigaction action;
  return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}
