#pragma once

#include <zookeeper/zookeeper.h>

#include <memory>
#include <optional>
#include <string>

#include "lockstep/zookeeper/options.h"

namespace lockstep::zookeeper {

// Only this file knows which functions the linked C client has for opening a handle:
// FindZooKeeper.cmake looks for them and defines LOCKSTEP_C_CLIENT_HAS_TLS and _SASL.

// Names a feature that the options request and the linked C client lacks.
[[nodiscard]] std::optional<std::string> missing_feature(const Options& options);

// Hears of the states of a handle's session.
class SessionWatcher {
 public:
  SessionWatcher(watcher_fn called, void* with) : function(called), context(with) {}
  watcher_fn function;
  void* context;
};

// Data that a handle refers to until it is closed.
class CHandleParts {
 public:
  clientid_t attach_to{};
  std::shared_ptr<const void> sasl_answers;
};

// Opens a handle on `servers`, a list in the C client's own format; null if that fails, with
// the reason in errno, which is EAGAIN if the C client could not start its threads.
[[nodiscard]] zhandle_t* open_c_handle(const Options& options, const std::string& servers,
                                       const SessionWatcher& watcher, log_callback_fn log,
                                       CHandleParts& parts);

}  // namespace lockstep::zookeeper
