#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "address.h"
#include "descriptor.h"
#include "lockstep/clock.h"
#include "lockstep/random.h"
#include "lockstep/stat.h"

namespace lockstep::zookeeper {

// The C client waits here while it has no server. Its list of servers can be changed safely only
// while its I/O thread is known to be idle: zoo_set_servers() closes the socket that this thread is
// using if the current server is not in the new list, and after every failure the thread reads the
// list without the lock (zookeeper.c, update_addrs, handle_error). So every list leads from the one
// server in its middle back to our socket on the loopback interface, which accepts and does not
// answer. A C client that is connected to it waits in poll() until we hang up, and the gate, its
// current server, is in every list, so that a new list changes nothing but the list.
//
// The lists have three entries: the C client skips one after each failure (handle_error and
// zoo_cycle_next_server both step on). From the gate it goes to the middle entry, and from there,
// whether the connection failed or was lost, to the gate. It ignores a new list that names only
// hosts of the old one, whatever the ports (addrvec_eq); so a list without a server has one of two
// addresses in the middle, in turn. No server listens there.
//
// For one thread.
class Gate {
 public:
  // Tells the C client's connection from those of other programs on this machine.
  class Guest {
   public:
    SessionId session = 0;
    std::array<char, 16> password{};
    bool speaks_tls = false;
  };

  // nullopt if the gate is open now; otherwise the reason.
  [[nodiscard]] std::optional<std::string> open(Random& random);
  void close();

  // A list of servers that leads the C client to `target` when it is released; without a target, to
  // no server and back to the gate. Each call returns a list that differs from the previous one.
  [[nodiscard]] std::string route(const std::optional<Address>& target);
  // How the C client of this gate can be told an address.
  [[nodiscard]] std::string spelled(const Address& address) const {
    return address.for_c_client(spelling_);
  }

  // Accepts connections and reads their data. True if the C client has arrived just now.
  [[nodiscard]] bool receive(const Guest& expected);
  [[nodiscard]] bool has_guest() const { return static_cast<bool>(guest_); }
  [[nodiscard]] Duration waited() const;
  // The last zxid that the guest has seen, from its handshake; 0 with TLS.
  [[nodiscard]] std::int64_t zxid() const { return zxid_; }
  // Hangs up, so that the C client goes on along its list.
  void hang_up() { guest_.hang_up(); }

  void add_interest(std::vector<pollfd>& descriptors) const;
  // No descriptor was left for a visitor: only time helps.
  [[nodiscard]] bool is_starved() const { return starved_; }

 private:
  static constexpr std::size_t kHandshakeSize = 49;  // zookeeper.c, prime_connection.

  // Hangs up when it is destroyed, even if a forked child has a copy of the descriptor.
  class Line {
   public:
    explicit Line(int number = -1) noexcept : socket_(number) {}
    Line(Line&&) noexcept = default;
    Line& operator=(Line&&) noexcept = default;
    ~Line() { hang_up(); }
    [[nodiscard]] int get() const noexcept { return socket_.get(); }
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(socket_); }
    void hang_up() noexcept;

   private:
    Descriptor socket_;
  };

  class Visitor {
   public:
    Line socket;
    std::array<char, kHandshakeSize> bytes{};
    std::size_t size = 0;
  };
  enum class Verdict { kWait, kLetIn, kTurnAway };

  void accept_visitors();
  [[nodiscard]] static Verdict judge(Visitor& visitor, const Guest& expected);
  [[nodiscard]] static bool is_gone(const Line& socket);

  Descriptor listener_;
  Line guest_;
  std::vector<Visitor> visitors_;
  bool starved_ = false;
  std::int64_t zxid_ = 0;
  Address::Spelling spelling_ = Address::Spelling::kPlain;
  std::string here_;
  std::array<std::string, 2> nowhere_;
  std::size_t turn_ = 0;
};

}  // namespace lockstep::zookeeper
