/* A program without ZooKeeper that ends in one of several ways:
 *
 *   misbehave HOW
 *
 * With "race", it aborts if another thread increases a counter first. With "deadlock", two threads
 * wait for each other if the second one is in time. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static volatile int* volatile nowhere;

static void leave(int signal) { _exit(signal); }

static void* count(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  ++counter;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static int race(void) {
  pthread_t other;
  pthread_create(&other, NULL, count, NULL);
  pthread_mutex_lock(&mutex);
  if (counter != 0) abort();
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
  return 0;
}

static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;

static void* lock_the_other_way(void* unused) {
  pthread_setname_np(pthread_self(), "other");
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_unlock(&second);
  return unused;
}

static int lock_in_any_order(void) {
  pthread_t other;
  pthread_create(&other, NULL, lock_the_other_way, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&mutex);
  pthread_join(other, NULL);
  return 0;
}

static int write_to_nobody(void) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  close(ends[0]);
  return write(ends[1], "x", 1) == 1;
}

/* All copies are one real process, so a lock of a file would keep none out. */
static int lock_record(void) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(STDIN_FILENO, F_SETLKW, &all);
}

/* As daemons do. The hunt's own files are among them. */
static int close_all(void) {
  for (int file = 3; file < 1024; ++file) close(file);
  closefrom(3);
  return close_range(3, ~0U, 0);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (strcmp(how, "race") == 0) return race();
  if (strcmp(how, "deadlock") == 0) return lock_in_any_order();
  if (strcmp(how, "status") == 0) return 3;
  if (strcmp(how, "exit") == 0) exit(4);
  if (strcmp(how, "fork") == 0) return fork() < 0;
  if (strcmp(how, "flock") == 0) return flock(STDIN_FILENO, LOCK_EX);
  if (strcmp(how, "record-lock") == 0) return lock_record();
  if (strcmp(how, "close-all") == 0) return close_all();
  if (strcmp(how, "pipe") == 0) return write_to_nobody();
  if (strcmp(how, "kill") == 0) return kill(getpid(), SIGTERM);
  if (strcmp(how, "handler") == 0) {
    signal(SIGUSR2, leave);
    return kill(getpid(), SIGUSR2);
  }
  if (strcmp(how, "raise-abort") == 0) return raise(SIGABRT);
  if (strcmp(how, "kill-parent") == 0) return kill(getppid(), SIGUSR1);
  if (strcmp(how, "pid") == 0) return argc == 3 && getpid() - getppid() == atoi(argv[2]) ? 0 : 6;
  if (strcmp(how, "pointer") == 0) return *nowhere;
  if (strcmp(how, "hang") == 0) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  if (strcmp(how, "globals") == 0) return counter++ == 0 ? 0 : 5;
  if (strcmp(how, "bytes") == 0) return argc == 4 && strcmp(argv[2], "\xff\n\\") == 0 ? 0 : 6;
  if (strcmp(how, "echo") == 0) return argc == 3 && strcmp(argv[2], "1") == 0 ? 0 : 6;
  return 0;
}
