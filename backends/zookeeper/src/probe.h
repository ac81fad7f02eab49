#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>

#include "address.h"
#include "descriptor.h"
#include "lockstep/clock.h"

namespace lockstep::zookeeper {

// Finds out, without blocking, whether a server answers: connects, sends "srvr", and waits for a
// reaction. Even a connection that the server closes immediately counts, because the C client does
// not have to wait for its timeout there. For one thread.
class Probe {
 public:
  enum class Depth : std::uint8_t {
    kConnection,  // The server accepts the connection. With TLS it understands nothing else.
    kAnswer
  };

  // `seen` is the last zxid that the session knows: a server with an earlier one would refuse it.
  Probe(Address address, Depth depth, std::int64_t seen, TimePoint now, Duration budget);

  [[nodiscard]] const Address& address() const { return address_; }
  [[nodiscard]] TimePoint deadline() const { return deadline_; }
  [[nodiscard]] pollfd interest() const { return {socket_.get(), events_, 0}; }
  // Call it when the socket is ready or the deadline has passed.
  void go_on(TimePoint now);

  [[nodiscard]] bool over() const { return over_; }
  // The reason not to use the server; nullopt if it is usable, or before the probe is over.
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }

 private:
  void finish_connecting();
  void read_answer();
  void judge_answer();
  void fail(std::string reason);
  void fail_with_errno(int error);

  Address address_;
  Depth depth_;
  std::int64_t seen_;
  Duration budget_;
  TimePoint deadline_;
  Descriptor socket_;
  short events_ = POLLOUT;
  bool connected_ = false;
  bool over_ = false;
  std::string answer_;
  std::optional<std::string> failure_;
};

}  // namespace lockstep::zookeeper
