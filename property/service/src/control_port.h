#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <set>

#include "listener.h"
#include "lockstep/service/control.h"
#include "lockstep/service/service.h"

namespace lockstep::service {

// Serves Control over HTTP and JSON (control_json.h), on the thread of its context.
class ControlPort {
 public:
  // Listens; throws like Listener.
  ControlPort(boost::asio::io_context& context, const Listener::Tcp::endpoint& at,
              const ControlOptions& options, Control& control);
  ~ControlPort();
  ControlPort(const ControlPort&) = delete;
  ControlPort& operator=(const ControlPort&) = delete;

  // Closes all connections. The context must be polled before this object is destroyed.
  void close();
  [[nodiscard]] Listener::Tcp::endpoint endpoint() const { return listener_.endpoint(); }

 private:
  class Visit;

  Control& control_;
  ControlOptions options_;
  std::set<std::shared_ptr<Visit>> visits_;
  Listener listener_;
};

}  // namespace lockstep::service
