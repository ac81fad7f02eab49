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

// Lets a test act on the servers of a Service, and look into them, other than as their client.
// From any thread while the service runs, and from the thread that made it before: each call
// returns once it is done. The service outlives it.
class Control {
 public:
  // A session that lives.
  struct Session {
    SessionId id = 0;
    Duration timeout{};
    bool connected = false;
    std::uint32_t server = 0;  // Its server, if it is connected.
    bool stalled = false;
    std::vector<std::string> ephemerals{};
  };
  struct Server {
    std::string address;
    bool refuses = false;
    bool lags = false;
    std::size_t behind = 0;  // Transactions that it has not applied.
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
    bool on_children = false;  // Otherwise on the data, or the existence.
  };
  // The queue of a lock: its ephemeral children with a sequence number, the oldest first.
  // In a queue of exclusive places the first one holds it.
  struct Place {
    std::string znode;
    SessionId session = 0;
    bool connected = false;
  };
  struct Queue {
    std::string path;
    std::vector<Place> places;
  };
  // A request of a client; pings are none.
  struct LoggedRequest {
    std::uint64_t number = 0;  // From 1 on.
    TimePoint at{};            // As the servers' clock has it.
    SessionId session = 0;
    std::uint32_t server = 0;
    std::string op{};
    std::string path{};    // Those of a multi, with commas between them.
    std::string answer{};  // "ok", an error or "lost"; empty: there is none yet.
  };

  // A change of a znode, as the servers have committed it.
  struct Write {
    enum class Kind : std::uint8_t { kCreated, kDeleted, kDataSet, kAclSet };
    Kind kind{};
    Zxid zxid = 0;  // Those of a multi, and of a session's end, have one in common.
    std::string path;
    SessionId session = 0;  // The one that asked; 0: the servers themselves, at a session's end.
    SessionId owner = 0;    // The session that ends an ephemeral znode; 0: it is none.
  };

  // Why nothing was done.
  struct Refusal {
    bool unknown = false;  // There is no such session, server or znode; otherwise it is impossible.
    std::string why;
  };
  using Done = std::expected<void, Refusal>;

  explicit Control(Service& service) : service_(service) {}
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  // In the order in which they began.
  [[nodiscard]] std::vector<Session> sessions();
  [[nodiscard]] std::vector<Server> servers();
  // The committed tree, parents first.
  [[nodiscard]] std::vector<Znode> tree();
  [[nodiscard]] std::vector<Watch> watches();
  [[nodiscard]] std::vector<Queue> queues();
  // The last requests with a number greater than that, the oldest first; 1000 are kept.
  [[nodiscard]] std::vector<LoggedRequest> log(std::uint64_t after = 0);

  // Everything that has been committed since the servers began, in the order of the zxids; those
  // with a greater zxid than that.
  [[nodiscard]] std::vector<Write> history(Zxid after = 0);

  // The servers end a session at once. Its client learns of it when it comes back.
  [[nodiscard]] Done expire(SessionId session);
  // Closes the connection of a session, which lives on, and may come back. What its client has
  // been sent still arrives.
  [[nodiscard]] Done cut(SessionId session);
  // Nothing passes over the connection of a session any more, in either direction, until resume():
  // the servers expire it after its timeout, as that of a client that is stopped.
  [[nodiscard]] Done stall(SessionId session);
  [[nodiscard]] Done resume(SessionId session);
  // Messages of the servers over the connection of a session arrive so much later, as long as it
  // stays open; zero ends that.
  static constexpr Duration kLongestDelay = std::chrono::hours(1);
  [[nodiscard]] Done delay(SessionId session, Duration by);
  // The next request of a kind gets lost before the servers have seen it, or after that its reply,
  // and the connection with it: the client does not know what has become of it. Without a kind, it
  // is the next one that is no ping; with session 0, that of any session.
  [[nodiscard]] Done lose_request(std::optional<wire::Op> kind, SessionId session = 0);
  [[nodiscard]] Done lose_reply(std::optional<wire::Op> kind, SessionId session = 0);
  // A server resets every new connection, or accepts again. Servers count from 0.
  [[nodiscard]] Done refuse(std::uint32_t server, bool refuses);
  // One of several servers applies nothing any more, and its clients read the past, until it
  // catches up or the leader changes.
  [[nodiscard]] Done lag(std::uint32_t server, bool lags);
  // Another of several servers becomes the leader: every connection ends, every session gets its
  // full timeout.
  [[nodiscard]] Done change_leader();
  // The next sequential child of a znode gets this number, as if there had been as many before.
  // Numbers never go back.
  [[nodiscard]] Done set_counter(std::string_view path, std::int32_t next);
  // The servers' clock jumps: sessions expire of whose clients nothing has been heard since then
  // for their timeouts, and times to live pass.
  static constexpr Duration kLongestAdvance = std::chrono::hours(24 * 30);
  [[nodiscard]] Done advance(Duration by);

  // Faults that come by themselves. A plan's kinds, victims and pauses are a function of its seed;
  // it strikes in real time, and its victims are the sessions that it finds. It does without those
  // that are impossible, as a lag of the only server. What lasts ends when the next one strikes.
  struct Plan {
    std::uint64_t seed = 0;
    Duration every{};                   // On average.
    std::vector<PlannedFault> kinds{};  // At least one; more often named, more often chosen.
  };
  static constexpr Duration kShortestPause = std::chrono::milliseconds(1);
  static constexpr Duration kLongestPause = std::chrono::hours(1);
  // Takes the place of the one before.
  [[nodiscard]] Done plan(Plan plan);
  // Ends the plan, and everything that lasts: stalls, delays, losses to come, refusals, lags.
  void calm();

 private:
  Service& service_;
};

}  // namespace lockstep::service
