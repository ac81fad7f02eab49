/* A program that takes a lock by synchronous calls of the C client, following the manual's recipe.
 *
 *   lock [--forgetful] [--impatient] [--persistent] [--threads N] [--prefix P] HOST
 *
 * --forgetful: waits for the znode in front without checking that it still exists.
 * --impatient: does not wait at all, and takes the lock.
 * --persistent: the znode outlives a crash of the program.
 * --prefix: how the names of the znodes begin ("n-" by default).
 * Each of N threads has its own session. */
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zookeeper/zookeeper.h>

#define LOCK "/lock"

static int forgetful;
static int impatient;
static int persistent;
static const char* host;
static const char* prefix = "n-";

struct turn {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int connected;
  int gone;
};

static void session_changed(zhandle_t* handle, int type, int state, const char* path, void* context) {
  struct turn* turn = context;
  (void)handle;
  (void)path;
  if (type != ZOO_SESSION_EVENT) return;
  pthread_mutex_lock(&turn->mutex);
  if (state == ZOO_CONNECTED_STATE) turn->connected = 1;
  if (state == ZOO_EXPIRED_SESSION_STATE) turn->gone = 1;
  pthread_cond_broadcast(&turn->changed);
  pthread_mutex_unlock(&turn->mutex);
}

static void predecessor_changed(zhandle_t* handle, int type, int state, const char* path, void* context) {
  struct turn* turn = context;
  (void)handle;
  (void)state;
  (void)path;
  if (type == ZOO_SESSION_EVENT) return;
  pthread_mutex_lock(&turn->mutex);
  turn->gone = 1;
  pthread_cond_broadcast(&turn->changed);
  pthread_mutex_unlock(&turn->mutex);
}

static const char* number_of(const char* name) { return name + strlen(name) - 10; }

/* The znode right in front of ours, or an empty text. */
static int find_front(zhandle_t* handle, const char* own, char* front) {
  struct String_vector children;
  int result = zoo_get_children(handle, LOCK, 0, &children);
  if (result != ZOK) return result;
  front[0] = '\0';
  for (int i = 0; i < children.count; ++i) {
    const char* name = children.data[i];
    if (strcmp(number_of(name), number_of(own)) >= 0) continue;
    if (front[0] != '\0' && strcmp(number_of(name), number_of(front)) < 0) continue;
    snprintf(front, 256, "%s/%s", LOCK, name);
  }
  deallocate_String_vector(&children);
  return ZOK;
}

static int wait_in_queue(zhandle_t* handle, const char* own, struct turn* turn) {
  for (;;) {
    char front[256];
    int result = find_front(handle, own, front);
    if (result != ZOK || front[0] == '\0' || impatient) return result;
    struct Stat stat;
    turn->gone = 0;
    result = zoo_wexists(handle, front, predecessor_changed, turn, &stat);
    if (result == ZNONODE && !forgetful) continue;
    if (result != ZOK && result != ZNONODE) return result;
    pthread_mutex_lock(&turn->mutex);
    while (!turn->gone) pthread_cond_wait(&turn->changed, &turn->mutex);
    pthread_mutex_unlock(&turn->mutex);
  }
}

static void* lock_once(void* unused) {
  struct turn turn = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
  (void)unused;
  zhandle_t* handle = zookeeper_init(host, session_changed, 10000, NULL, &turn, 0);
  if (handle == NULL) exit(3);
  pthread_mutex_lock(&turn.mutex);
  while (!turn.connected && !turn.gone) pthread_cond_wait(&turn.changed, &turn.mutex);
  pthread_mutex_unlock(&turn.mutex);
  char wanted[256];
  char own[256];
  snprintf(wanted, sizeof wanted, "%s/%s", LOCK, prefix);
  int result = zoo_create(handle, wanted, "", 0, &ZOO_OPEN_ACL_UNSAFE,
                          persistent ? ZOO_SEQUENCE : ZOO_EPHEMERAL | ZOO_SEQUENCE, own, sizeof own);
  if (result == ZOK) result = wait_in_queue(handle, own, &turn);
  if (result == ZOK) {
    printf("%s holds the lock\n", own);
    zoo_delete(handle, own, -1);
  }
  zookeeper_close(handle);
  return NULL;
}

int main(int argc, char** argv) {
  static const struct option options[] = {
      {"forgetful", no_argument, &forgetful, 1},
      {"impatient", no_argument, &impatient, 1},
      {"persistent", no_argument, &persistent, 1},
      {"threads", required_argument, NULL, 't'},
      {"prefix", required_argument, NULL, 'p'},
      {NULL, 0, NULL, 0},
  };
  int threads = 1;
  for (int option; (option = getopt_long(argc, argv, "t:p:", options, NULL)) != -1;) {
    if (option == 't') threads = atoi(optarg);
    if (option == 'p') prefix = optarg;
    if (option == '?') return 2;
  }
  if (optind + 1 != argc || threads < 1 || threads > 8) return 2;
  host = argv[optind];
  pthread_t others[8];
  for (int i = 0; i < threads; ++i) pthread_create(&others[i], NULL, lock_once, NULL);
  for (int i = 0; i < threads; ++i) pthread_join(others[i], NULL);
  return 0;
}
