#pragma once

#include <poll.h>

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "address.h"
#include "address_rotation.h"
#include "lockstep/clock.h"
#include "probe.h"

namespace lockstep::zookeeper {

// Looks for the first server of a round that answers. Starts with one; as soon as that fails, or is
// silent for a moment, the next one is asked as well (as in RFC 8305, "Happy Eyeballs"), so that a
// silent server costs only a moment, and no server is asked without need. On one thread.
class ProbeRace {
 public:
  using OnFailure = std::function<void(const Address& address, const std::string& reason)>;

  // How long one server may be silent before the next is asked too.
  static constexpr Duration kLongestHeadStart = std::chrono::milliseconds(250);

  ProbeRace(AddressRotation& rotation, Probe::Depth depth, std::int64_t seen, Duration budget,
            OnFailure on_failure);
  // Servers that were asked and have not answered go back into the round.
  ~ProbeRace();
  ProbeRace(const ProbeRace&) = delete;
  ProbeRace& operator=(const ProbeRace&) = delete;

  // A server that answers; nullopt as long as none has.
  [[nodiscard]] std::optional<Address> go_on(TimePoint now);
  // Every server of the round has failed.
  [[nodiscard]] bool lost() const { return probes_.empty() && rotation_.empty(); }

  // When go_on() must be called even if no socket is ready.
  [[nodiscard]] TimePoint next_step() const;
  void add_interest(std::vector<pollfd>& descriptors) const;

 private:
  AddressRotation& rotation_;
  Probe::Depth depth_;
  std::int64_t seen_;
  Duration budget_;
  OnFailure on_failure_;
  TimePoint next_start_{};
  std::list<Probe> probes_;
};

}  // namespace lockstep::zookeeper
