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

// Finds the first server of a round that answers. Starts with one server; when that fails, or is
// silent for a moment, the next one is probed, too (as in RFC 8305, "Happy Eyeballs"). So a silent
// server costs only a moment, and no server is probed without need. For one thread.
class ProbeRace {
 public:
  using OnFailure = std::function<void(const Address& address, const std::string& reason)>;

  // How long one server may be silent before the next is probed, too.
  static constexpr Duration kLongestHeadStart = std::chrono::milliseconds(250);

  ProbeRace(AddressRotation& rotation, Probe::Depth depth, std::int64_t seen, Duration budget,
            OnFailure on_failure);
  // Servers that were probed and have not answered go back into the round.
  ~ProbeRace();
  ProbeRace(const ProbeRace&) = delete;
  ProbeRace& operator=(const ProbeRace&) = delete;

  // A server that has answered; nullopt until one has.
  [[nodiscard]] std::optional<Address> go_on(TimePoint now);
  // Every server of the round has failed.
  [[nodiscard]] bool lost() const { return probes_.empty() && rotation_.empty(); }

  // The time at which go_on() must be called even if no socket is ready.
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
