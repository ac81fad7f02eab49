#pragma once

#include <zookeeper/zookeeper.h>

namespace lockstep::zookeeper::callbacks {

// The functions that the C client calls, on its own threads. Each copies its arguments, because the
// C client frees them when the callback returns, and passes the copy to the Handle that its context
// names. None lets an exception escape into C: without memory for the copy the process ends
// (std::terminate), because the caller of a dropped message would wait forever.

void session_event(zhandle_t* handle, int type, int state, const char* path,
                   void* context) noexcept;
// Ignores session events, which reach every watcher and consume none. The context names a handle
// but no watch: see WatchRegistry.
void watch_event(zhandle_t* handle, int type, int state, const char* path, void* context) noexcept;

void created(int rc, const char* path, const ::Stat* stat, const void* context) noexcept;
// For replies that are only a return code. Those to zoo_add_auth arrive on the IO thread.
void done(int rc, const void* context) noexcept;
void stat_read(int rc, const ::Stat* stat, const void* context) noexcept;
void data_read(int rc, const char* data, int size, const ::Stat* stat,
               const void* context) noexcept;
void children_read(int rc, const String_vector* names, const ::Stat* stat,
                   const void* context) noexcept;
void acl_read(int rc, ACL_vector* acl, ::Stat* stat, const void* context) noexcept;
void multi_done(int rc, const void* context) noexcept;
void synced(int rc, const char* path, const void* context) noexcept;
// The reply to the request that Connector::release() leaves as a mark.
void release_confirmed(int rc, const ::Stat* stat, const void* context) noexcept;

}  // namespace lockstep::zookeeper::callbacks
