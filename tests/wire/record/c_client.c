/* The operations of libzookeeper_mt for record.py. A line on standard output asks to cut the connection. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zookeeper/zookeeper.h>

static volatile int connections = 0;
static volatile int synced = 0;

static void watcher(zhandle_t *zh, int type, int state, const char *path, void *context) {
  (void)zh, (void)path, (void)context;
  if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) ++connections;
}
static void authenticated(int rc, const void *data) { (void)data, synced += rc == ZOK; }
static void sync_done(int rc, const char *value, const void *data) {
  (void)value, (void)data, synced += rc == ZOK;
}
static void wait_for(volatile int *counter, int value) {
  while (*counter < value) usleep(1000);
}

static void transactions(zhandle_t *zh) {
  char path[64];
  struct Stat stat;
  zoo_op_t ops[4];
  zoo_op_result_t results[4];
  zoo_create_op_init(&ops[0], "/golden/m", "x", 1, &ZOO_OPEN_ACL_UNSAFE, 0, path, sizeof path);
  zoo_set_op_init(&ops[1], "/golden/m", "z", 1, 0, &stat);
  zoo_check_op_init(&ops[2], "/golden/m", 1);
  zoo_delete_op_init(&ops[3], "/golden/m", 1);
  zoo_multi(zh, 4, ops, results);
  zoo_delete_op_init(&ops[0], "/golden/b", -1);
  zoo_check_op_init(&ops[1], "/golden/missing", 0);
  zoo_set_op_init(&ops[2], "/golden", "z", 1, 7, &stat);
  zoo_multi(zh, 3, ops, results);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
  char path[64], data[256];
  int size = sizeof data;
  struct Stat stat;
  struct String_vector children;
  struct ACL_vector acl;
  zhandle_t *zh = zookeeper_init(argv[1], watcher, 10000, 0, 0, 0);
  wait_for(&connections, 1);
  zoo_add_auth(zh, "digest", "user:secret", 11, authenticated, 0);
  wait_for(&synced, 1);
  zoo_create(zh, "/golden", "hello", 5, &ZOO_OPEN_ACL_UNSAFE, 0, path, sizeof path);
  zoo_create(zh, "/golden", "again", 5, &ZOO_OPEN_ACL_UNSAFE, 0, path, sizeof path);
  zoo_create(zh, "/golden/e-", 0, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_EPHEMERAL | ZOO_SEQUENCE, path, sizeof path);
  zoo_create2(zh, "/golden/b", "", 0, &ZOO_READ_ACL_UNSAFE, 0, path, sizeof path, &stat);
  zoo_create(zh, "/golden/container", 0, -1, &ZOO_OPEN_ACL_UNSAFE, ZOO_CONTAINER, path, sizeof path);
  zoo_create2_ttl(zh, "/golden/ttl", "t", 1, &ZOO_OPEN_ACL_UNSAFE, ZOO_PERSISTENT_WITH_TTL, 60000, path,
                  sizeof path, &stat);
  zoo_exists(zh, "/golden", 0, &stat);
  zoo_wexists(zh, "/golden/missing", watcher, 0, &stat);
  zoo_wget(zh, "/golden", watcher, 0, data, &size, &stat);
  zoo_set2(zh, "/golden", "world", 5, 0, &stat);
  zoo_set(zh, "/golden", "never", 5, 0);
  size = sizeof data;
  zoo_wget(zh, "/golden", watcher, 0, data, &size, &stat);
  if (zoo_wget_children(zh, "/golden", watcher, 0, &children) == ZOK) deallocate_String_vector(&children);
  if (zoo_get_children2(zh, "/golden", 0, &children, &stat) == ZOK) deallocate_String_vector(&children);
  zoo_set_acl(zh, "/golden/b", -1, &ZOO_CREATOR_ALL_ACL);
  zoo_create(zh, "/golden/acl", "", 0, &ZOO_CREATOR_ALL_ACL, 0, path, sizeof path);
  zoo_set_acl(zh, "/golden/acl", 0, &ZOO_OPEN_ACL_UNSAFE);
  if (zoo_get_acl(zh, "/golden/acl", &acl, &stat) == ZOK) deallocate_ACL_vector(&acl);
  zoo_async(zh, "/golden", sync_done, 0);
  wait_for(&synced, 2);
  transactions(zh);
  zoo_remove_all_watches(zh, "/golden/missing", ZWATCHTYPE_DATA, 0);
  zoo_wexists(zh, "/golden/later", watcher, 0, &stat);
  size = sizeof data;
  zoo_getconfig(zh, 0, data, &size, &stat);
  puts("cut");
  fflush(stdout);
  wait_for(&connections, 2);
  zoo_create(zh, "/golden/later", "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, path, sizeof path);
  zoo_delete(zh, "/golden/later", 9);
  zoo_delete(zh, "/golden/later", -1);
  zoo_delete(zh, "/golden", -1);
  return zookeeper_close(zh) == ZOK ? 0 : 1;
}
