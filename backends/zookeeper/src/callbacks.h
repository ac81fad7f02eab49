#pragma once

#include <zookeeper/zookeeper.h>

namespace lockstep::zookeeper::callbacks {

// The functions that the C client calls, on its own threads. Each copies its arguments, because the
// C client frees them when the callback returns, and passes the copy to the Handle that its context
// names. None lets an exception out into C: when there is no memory for the copy, the process ends
// (std::terminate), because a dropped message would leave its caller waiting without end.

void session_event(zhandle_t* handle, int type, int state, const char* path,
                   void* context) noexcept;
// Ignores session events: they reach every watcher and consume none. Its context names a handle but
// no watch: see WatchRegistry.
void watch_event(zhandle_t* handle, int type, int state, const char* path, void* context) noexcept;

void created(int rc, const char* path, const ::Stat* stat, const void* context) noexcept;
// Replies that are a return code only. Those to zoo_add_auth come on the IO thread.
void done(int rc, const void* context) noexcept;
void stat_read(int rc, const ::Stat* stat, const void* context) noexcept;
void data_read(int rc, const char* data, int size, const ::Stat* stat,
               const void* context) noexcept;
void children_read(int rc, const String_vector* names, const ::Stat* stat,
                   const void* context) noexcept;
void acl_read(int rc, ACL_vector* acl, ::Stat* stat, const void* context) noexcept;
void multi_done(int rc, const void* context) noexcept;
void synced(int rc, const char* path, const void* context) noexcept;
// The reply to the request that marks Connector::let_go().
void let_go(int rc, const ::Stat* stat, const void* context) noexcept;

}  // namespace lockstep::zookeeper::callbacks
