#pragma once

#include <zookeeper/zookeeper.h>

namespace lockstep::zookeeper::callbacks {

// What the C client calls, on its own threads. Each copies what it is given, because the C client
// frees that when the callback returns, and hands it to the Handle that its context names.

void session_event(zhandle_t* handle, int type, int state, const char* path, void* context);
// Ignores session events: they reach every watcher and consume none.
void watch_event(zhandle_t* handle, int type, int state, const char* path, void* context);

void created(int rc, const char* path, const ::Stat* stat, const void* context);
// Replies that are a return code only. To zoo_add_auth they come on the IO thread.
void done(int rc, const void* context);
void stat_read(int rc, const ::Stat* stat, const void* context);
void data_read(int rc, const char* data, int size, const ::Stat* stat, const void* context);
void children_read(int rc, const String_vector* names, const ::Stat* stat, const void* context);
void acl_read(int rc, ACL_vector* acl, ::Stat* stat, const void* context);
void multi_done(int rc, const void* context);
void synced(int rc, const char* path, const void* context);

void ignore_log(const char* message);

}  // namespace lockstep::zookeeper::callbacks
