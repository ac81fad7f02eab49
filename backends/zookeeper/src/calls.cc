#include "calls.h"

#include <zookeeper/zookeeper.h>

#include "acl_vector.h"
#include "callbacks.h"

namespace lockstep::zookeeper {

namespace {

int call_create(zhandle_t* handle, const Request& request, const void* context) {
  AclVector acl(request.acl());
  const char* const path = c_string(request.path.text());
  const int mode = static_cast<int>(request.mode);
  if (has_ttl(request.mode)) {
    return zoo_acreate2_ttl(handle, path, c_bytes(request.data), c_size(request.data), acl.get(),
                            mode, request.ttl().count(), &callbacks::created, context);
  }
  return zoo_acreate2(handle, path, c_bytes(request.data), c_size(request.data), acl.get(), mode,
                      &callbacks::created, context);
}

int call_set_data(zhandle_t* handle, const Request& request, const void* context) {
  return zoo_aset(handle, c_string(request.path.text()), c_bytes(request.data),
                  c_size(request.data), request.version, &callbacks::stat_read, context);
}

int call_set_acl(zhandle_t* handle, const Request& request, const void* context) {
  AclVector acl(request.acl());
  return zoo_aset_acl(handle, c_string(request.path.text()), request.version, acl.get(),
                      &callbacks::done, context);
}

int call_add_auth(zhandle_t* handle, const Request& request, const void* context) {
  const int size = request.data.is_null() ? 0 : c_size(request.data);
  const Text scheme = request.scheme();
  return zoo_add_auth(handle, c_string(scheme), c_bytes(request.data), size, &callbacks::done,
                      context);
}

// zoo_aremove_watches declares a pointer to a function pointer but calls it as a function pointer
// (zookeeper.c, aremove_watches).
void_completion_t* const kWatchesRemoved = reinterpret_cast<void_completion_t*>(&callbacks::done);

ZooWatcherType watcher_type(WatchType type) { return static_cast<ZooWatcherType>(type); }

}  // namespace

int call(zhandle_t* handle, const Request& request, void* watches, void* context) {
  const char* const path = c_string(request.path.text());
  const watcher_fn watcher = request.watched ? &callbacks::watch_event : nullptr;
  switch (request.op) {
    case OpCode::kCreate: return call_create(handle, request, context);
    case OpCode::kRemove:
      return zoo_adelete(handle, path, request.version, &callbacks::done, context);
    case OpCode::kExists:
      return zoo_awexists(handle, path, watcher, watches, &callbacks::stat_read, context);
    case OpCode::kGetData:
      return zoo_awget(handle, path, watcher, watches, &callbacks::data_read, context);
    case OpCode::kSetData: return call_set_data(handle, request, context);
    case OpCode::kGetChildren:
      return zoo_awget_children2(handle, path, watcher, watches, &callbacks::children_read,
                                 context);
    case OpCode::kSync: return zoo_async(handle, path, &callbacks::synced, context);
    case OpCode::kGetAcl: return zoo_aget_acl(handle, path, &callbacks::acl_read, context);
    case OpCode::kSetAcl: return call_set_acl(handle, request, context);
    case OpCode::kAddAuth: return call_add_auth(handle, request, context);
    case OpCode::kRemoveWatches:
      return zoo_aremove_all_watches(handle, path, watcher_type(request.watch_type), 0,
                                     kWatchesRemoved, context);
    case OpCode::kCheckWatches:
      return zoo_aremove_watches(handle, path, watcher_type(request.watch_type),
                                 &callbacks::watch_event, watches, 0, kWatchesRemoved, context);
    case OpCode::kMulti:  // Needs memory that outlives the call: see MultiCall.
    case OpCode::kCheck:  // Only inside a multi.
    case OpCode::kClose:  // Never sent: see Handle::close().
      break;
  }
  return ZUNIMPLEMENTED;
}

}  // namespace lockstep::zookeeper
