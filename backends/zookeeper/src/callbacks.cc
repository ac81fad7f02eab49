#include "callbacks.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "acl_vector.h"
#include "handle.h"
#include "handle_table.h"
#include "stat.h"

namespace lockstep::zookeeper::callbacks {

namespace {

TimePoint now() {
  return TimePoint(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

class OwnedNames final : public Children::Storage {
 public:
  OwnedNames(std::span<char* const> c_names, const Stat& stat) {
    parent = stat;
    std::size_t size = 0;
    for (const char* const name : c_names) size += std::string_view(name).size();
    bytes_.reserve(size);
    names.reserve(c_names.size());
    for (const char* const c_name : c_names) {
      const std::string_view name(c_name);
      names.push_back({bytes_.data() + bytes_.size(), name.size()});
      bytes_.append(name);  // Does not reallocate: the room is reserved.
    }
  }
  [[nodiscard]] std::size_t size() const {
    return bytes_.size() + names.size() * sizeof(std::string_view);
  }

 private:
  std::string bytes_;
};

void deliver(ReplyMessage reply, const void* context) {
  Handle* const handle = HandleTable::instance().find(CallbackContext(context).handle_key());
  if (handle) handle->deliver_reply(std::move(reply));
}

ReplyMessage reply_to(const void* context, int rc) {
  return {CallbackContext(context).request(), rc, now()};
}

void deliver_connected(zhandle_t* c_handle, Handle& handle) {
  const clientid_t* const id = zoo_client_id(c_handle);
  std::array<char, 16> password{};
  static_assert(sizeof(password) == sizeof(id->passwd));
  std::copy(std::begin(id->passwd), std::end(id->passwd), password.begin());
  // Until this event the C client still shows the requested timeout.
  const std::chrono::milliseconds session_timeout(zoo_recv_timeout(c_handle));
  handle.deliver(
      ConnectedMessage(c_handle, Credentials(id->client_id, password), session_timeout, now()));
}

}  // namespace

// The state is the event's: zoo_state() may already show a later one.
void session_event(zhandle_t* c_handle, int type, int state, const char*, void* context) noexcept {
  Handle* const handle = HandleTable::instance().find(CallbackContext(context).handle_key());
  if (!handle || type != ZOO_SESSION_EVENT) return;
  if (state == ZOO_CONNECTED_STATE) {
    deliver_connected(c_handle, *handle);
  } else if (state == ZOO_CONNECTING_STATE) {
    handle->deliver(SuspendedMessage());
  } else if (state == ZOO_EXPIRED_SESSION_STATE) {
    handle->deliver(ExpiredMessage());
  } else if (state == ZOO_AUTH_FAILED_STATE) {
    handle->deliver(AuthFailedMessage());
  }
}

void watch_event(zhandle_t*, int type, int, const char* path, void* context) noexcept {
  if (type == ZOO_SESSION_EVENT) return;
  Handle* const handle = HandleTable::instance().find(CallbackContext(context).handle_key());
  if (handle) handle->deliver(WatchMessage(type, path, now()));
}

void created(int rc, const char* path, const ::Stat* stat, const void* context) noexcept {
  ReplyMessage reply = reply_to(context, rc);
  if (rc == ZOK) {
    reply.bytes = path;
    reply.has_bytes = true;
    reply.stat = from_c(*stat);
  }
  deliver(std::move(reply), context);
}

void done(int rc, const void* context) noexcept { deliver(reply_to(context, rc), context); }

void stat_read(int rc, const ::Stat* stat, const void* context) noexcept {
  ReplyMessage reply = reply_to(context, rc);
  if (rc == ZOK) reply.stat = from_c(*stat);
  deliver(std::move(reply), context);
}

void data_read(int rc, const char* data, int size, const ::Stat* stat,
               const void* context) noexcept {
  ReplyMessage reply = reply_to(context, rc);
  if (rc == ZOK) {
    reply.has_bytes = size >= 0;  // -1 is null data, 0 is empty.
    if (size > 0) reply.bytes.assign(data, static_cast<std::size_t>(size));
    reply.size = reply.bytes.size();
    reply.stat = from_c(*stat);
  }
  deliver(std::move(reply), context);
}

void children_read(int rc, const String_vector* names, const ::Stat* stat,
                   const void* context) noexcept {
  ReplyMessage reply = reply_to(context, rc);
  if (rc == ZOK) {
    const std::span<char* const> c_names(names->data, static_cast<std::size_t>(names->count));
    reply.stat = from_c(*stat);
    const auto owned = internal::Ref<OwnedNames>::make(c_names, reply.stat);
    reply.children = Children(owned);
    reply.size = owned->size();
  }
  deliver(std::move(reply), context);
}

void acl_read(int rc, ACL_vector* acl, ::Stat* stat, const void* context) noexcept {
  ReplyMessage reply = reply_to(context, rc);
  if (rc == ZOK) {
    reply.acl = from_c(*acl);
    reply.stat = from_c(*stat);
  }
  deliver(std::move(reply), context);
}

void multi_done(int rc, const void* context) noexcept {
  const CallbackContext call(context);
  Handle* const handle = HandleTable::instance().find(call.handle_key());
  if (!handle) return;
  ReplyMessage reply = reply_to(context, rc);
  reply.outcomes = handle->take_outcomes(call.request());
  handle->deliver_reply(std::move(reply));
}

void release_confirmed(int, const ::Stat*, const void* context) noexcept {
  Handle* const handle = HandleTable::instance().find(CallbackContext(context).handle_key());
  if (handle) handle->release_confirmed();
}

void synced(int rc, const char*, const void* context) noexcept {
  deliver(reply_to(context, rc), context);
}

}  // namespace lockstep::zookeeper::callbacks
