#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/stat.h"

namespace lockstep::service {

class Service;

// What a test does to the servers of a Service, besides asking them as a client. From any thread
// while the service runs, and from the thread that made it before: each call returns once it is
// done. Belongs to its service.
class Control {
 public:
  // A session that lives.
  struct Session {
    SessionId id = 0;
    Duration timeout{};
    bool connected = false;
    std::uint32_t server = 0;  // Its server, if it is connected.
  };

  explicit Control(Service& service) : service_(service) {}
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // In the order in which they began.
  [[nodiscard]] std::vector<Session> sessions();
  // Closes the connection of a session, which lives on, and may come back. What its client has
  // been sent still arrives. False if it has none.
  bool cut(SessionId session);

 private:
  Service& service_;
};

}  // namespace lockstep::service
