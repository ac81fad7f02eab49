/* A C program without ZooKeeper whose threads and processes end in one of several ways:
 *
 *   exits HOW
 *
 * It is compiled without exceptions, so that glibc keeps its cleanup handlers as buffers of
 * setjmp(). The exit status is 0 if all handlers have run as they do without a hunt. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char ran[8];
static size_t count;

static void note(void* name) { ran[count++] = *(char*)name; }

static void unlock(void* name) {
  note(name);
  pthread_mutex_unlock(&mutex);
}

static void leave(void) {
  pthread_cleanup_push(note, "a");
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
}

static void* hold(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, "c");
  pthread_cleanup_push(note, "b");
  pthread_cleanup_push(note, "x");
  pthread_cleanup_pop(0);
  leave();
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return unused;
}

static int clean_up(void) {
  pthread_t other;
  pthread_create(&other, NULL, hold, NULL);
  pthread_join(other, NULL);
  pthread_mutex_lock(&mutex);
  return strcmp(ran, "abc") != 0;
}

static void exit_at_signal(int signal) {
  (void)signal;
  // NOLINTNEXTLINE(bugprone-signal-handler): raise() calls this handler, and is safe to leave.
  pthread_exit("signal");
}

static void* raise_signal(void* unused) {
  raise(SIGUSR1);
  return unused;
}

static int exit_in_handler(void) {
  pthread_t other;
  void* result = NULL;
  signal(SIGUSR1, exit_at_signal);
  pthread_create(&other, NULL, raise_signal, NULL);
  pthread_join(other, &result);
  return result == NULL || strcmp(result, "signal") != 0;
}

static void end_well(void) { _exit(strcmp(ran, "d") != 0); }

static void* work(void* unused) {
  usleep(1000);
  note("d");
  return unused;
}

/* The process goes on until its last thread ends, and calls exit() then. */
static void exit_main(void) {
  pthread_t other;
  atexit(end_well);
  pthread_create(&other, NULL, work, NULL);
  pthread_detach(other);
  pthread_exit(NULL);
}

static void end_quickly(void) { _exit(0); }

static void exit_quickly(void) {
  at_quick_exit(end_quickly);
  quick_exit(7);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "cleanup") == 0) return clean_up();
  if (strcmp(how, "handler") == 0) return exit_in_handler();
  if (strcmp(how, "main") == 0) exit_main();
  if (strcmp(how, "quick") == 0) exit_quickly();
  if (strcmp(how, "256") == 0) exit(256);
  return 2;
}
