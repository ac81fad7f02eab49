#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/service/planned_fault.h"
#include "lockstep/stat.h"
#include "lockstep/wire/op.h"

namespace lockstep::service {

class Service;

// Lets a test act on the servers of a Service, and inspect them, other than as a client. Callable
// from any thread while the service runs, and before that from the thread that made it. Each call
// returns when it is done. The service outlives it.
class Control {
 public:
  // A live session.
  struct Session {
    SessionId id = 0;
    Duration timeout{};
    bool connected = false;
    std::uint32_t server = 0;  // Valid if connected.
    bool stalled = false;
    std::vector<std::string> ephemerals{};
  };
  struct Server {
    std::string address;
    bool refuses = false;
    bool lags = false;
    std::size_t behind = 0;  // Number of transactions that it has not applied.
  };
  struct Znode {
    std::string path;
    std::string data;
    Stat stat;
  };
  // A watch of a connected session.
  struct Watch {
    std::string path;
    SessionId session = 0;
    bool on_children = false;  // Otherwise on the data or the existence.
  };
  // The queue of a lock: its ephemeral sequential children, the oldest first. The first place of a
  // queue of exclusive places holds the lock.
  struct Place {
    std::string znode;
    SessionId session = 0;
    bool connected = false;
  };
  struct Queue {
    std::string path;
    std::vector<Place> places;
  };
  // A client's request; pings are not logged.
  struct LoggedRequest {
    std::uint64_t number = 0;  // Counts from 1.
    TimePoint at{};            // On the servers' clock.
    SessionId session = 0;
    std::uint32_t server = 0;
    std::string op{};
    std::string path{};    // For a multi, all paths with commas between them.
    std::string answer{};  // "ok", an error or "lost"; empty until there is an answer.
  };

  // A committed change of a znode.
  struct Write {
    enum class Kind : std::uint8_t { kCreated, kDeleted, kDataSet, kAclSet };
    Kind kind{};
    Zxid zxid = 0;  // Equal for all changes of a multi, and of a session's end.
    std::string path;
    // The session that asked; 0: the servers, at the end of a session, a container or a time to
    // live.
    SessionId session = 0;
    SessionId owner = 0;  // The owner of an ephemeral znode; 0 for others.
  };

  // Why a call did nothing.
  struct Refusal {
    // There is no such session, server or znode; otherwise the call is impossible.
    bool unknown = false;
    std::string why;
  };
  using Done = std::expected<void, Refusal>;

  explicit Control(Service& service) : service_(service) {}
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // In the order of their beginnings.
  [[nodiscard]] std::vector<Session> sessions();
  [[nodiscard]] std::vector<Server> servers();
  // The committed tree, parents first.
  [[nodiscard]] std::vector<Znode> tree();
  [[nodiscard]] std::vector<Watch> watches();
  [[nodiscard]] std::vector<Queue> queues();
  // The last requests with a number greater than `after`, the oldest first; 1000 are kept.
  [[nodiscard]] std::vector<LoggedRequest> log(std::uint64_t after = 0);

  // All commits with a zxid greater than `after` since the servers began, in the order of the
  // zxids.
  [[nodiscard]] std::vector<Write> history(Zxid after = 0);

  // Ends a session at once. Its client learns of it when it reconnects.
  [[nodiscard]] Done expire(SessionId session);
  // Closes the connection of a session; the session lives on, and its client may reconnect.
  // Messages already sent to the client still arrive.
  [[nodiscard]] Done cut(SessionId session);
  // Stops a session's connection in both directions until resume(): the servers expire the session
  // after its timeout, as if its client had stopped. If the client gives the connection up and
  // comes back over another one, the session continues there, unstalled. resume() and a delay of
  // zero apply to all connections that the session has had.
  [[nodiscard]] Done stall(SessionId session);
  [[nodiscard]] Done resume(SessionId session);
  // Delays the servers' messages over a session's connection while that stays open; zero ends the
  // delay.
  static constexpr Duration kLongestDelay = std::chrono::hours(1);
  [[nodiscard]] Done delay(SessionId session, Duration by);
  // Loses the next request of a kind before the servers see it, or (lose_reply) its reply after
  // they have executed it. The connection is lost with it, so the client does not know the outcome.
  // Without a kind: the next request that is not a ping. With session 0: the next request of any
  // session.
  [[nodiscard]] Done lose_request(std::optional<wire::Op> kind, SessionId session = 0);
  [[nodiscard]] Done lose_reply(std::optional<wire::Op> kind, SessionId session = 0);
  // Makes a server reset every new connection, or accept them again. Servers count from 0.
  [[nodiscard]] Done refuse(std::uint32_t server, bool refuses);
  // Makes one of several servers stop applying transactions, so that its clients read stale data,
  // until it catches up or the leader changes.
  [[nodiscard]] Done lag(std::uint32_t server, bool lags);
  // Makes another of several servers the leader: every connection ends, every session gets its full
  // timeout.
  [[nodiscard]] Done change_leader();
  // Sets the number of the znode's next sequential child, as if earlier ones had been created.
  // Numbers never go back.
  [[nodiscard]] Done set_counter(std::string_view path, std::int32_t next);
  // Advances the servers' clock: sessions expire if their clients have been silent for their
  // timeouts by then, and times to live pass.
  static constexpr Duration kLongestAdvance = std::chrono::hours(24 * 30);
  [[nodiscard]] Done advance(Duration by);

  // A series of automatic faults. Their kinds, victims and pauses are a function of the seed; they
  // strike in real time, and choose among the sessions that exist. Impossible faults are left out,
  // such as a lag of the only server. A lasting fault ends when the next one strikes.
  struct Plan {
    std::uint64_t seed = 0;
    Duration every{};                   // On average.
    std::vector<PlannedFault> kinds{};  // At least one; repeat a kind to choose it more often.
  };
  static constexpr Duration kShortestPause = std::chrono::milliseconds(1);
  static constexpr Duration kLongestPause = std::chrono::hours(1);
  // Replaces the previous plan.
  [[nodiscard]] Done plan(Plan plan);
  // Ends the plan and all lasting faults: stalls, delays, planned losses, refusals, lags.
  void calm();

 private:
  Service& service_;
};

}  // namespace lockstep::service
