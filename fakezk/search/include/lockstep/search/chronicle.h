#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/history.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

// One thing that happened in an execution.
struct Moment {
  enum class Kind : std::uint8_t {
    kRequest,     // A server takes up a request of the process.
    kReply,       // The process receives a reply.
    kWatchEvent,  // The process receives a watch event.
    kConnection,  // The process receives news of its connection and its session.
    kServers,     // The servers do something by themselves.
    kClock,       // The clock moves.
    kFault,       // A fault strikes.
    kGoOn,        // A thread of the process goes on after a blocking call.
    kRemark,      // A remark of the program: it holds the lock, it gives up.
  };
  struct Detail {
    std::string name;
    std::string value;
  };

  Kind kind;
  std::uint32_t step;
  std::int64_t time_ms;
  std::uint32_t process;   // Chronicle::kNoProcess for the servers and the clock.
  std::string text;        // In words, without the details.
  std::uint32_t user = 0;  // kRemark: by which user of the process, or 0 for the process itself.
  std::vector<Detail> details = {};
  std::optional<std::size_t> answers = std::nullopt;  // kReply: the moment of its request.
  bool overtakes = false;  // kGoOn: by default another thread of the process would have gone on.
};

// One change of the tree of znodes, as the leader committed it.
struct ZnodeChange {
  fakezk::Change::Kind kind;
  std::uint32_t step;  // 0: before the execution, while it was prepared.
  std::size_t moment;  // The step's moment that it belongs to.
  std::string path;
  Zxid zxid;
  fakezk::Lifetime lifetime;  // kCreated
  SessionId owner;            // The ephemeral owner, or 0.
  std::uint32_t owned;        // The process of that session; kNoProcess if unknown.
  Data data;                  // kCreated, kDataSet
};

// A lock was held from one moment until another; both ends are indices of moments.
struct GrantSpan {
  std::uint32_t process;
  std::string znode;
  std::size_t begins;
  std::size_t znode_gone;  // From here on the znode of the grant is deleted,
  std::size_t ends;        // and from here on its holder knows that the grant is over.
};

// A server kept a watch of a process, from the end of one step to the end of another.
struct WatchSpan {
  std::uint32_t process;
  std::string path;
  bool children;
  std::uint32_t begins_after;
  std::uint32_t ends_after;
};

// An execution, written down: all that a report shows. It does not refer to its world.
struct Chronicle {
  static constexpr std::uint32_t kNoProcess = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t kNoStep = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::string> processes;  // Their names.
  // The process of each session, by the session's name in messages: "session 0x100000000000001".
  std::map<std::string, std::uint32_t, std::less<>> sessions;
  std::vector<Moment> moments;
  std::vector<ZnodeChange> changes;
  std::vector<GrantSpan> grants;
  std::vector<WatchSpan> watches;
  std::optional<Violation> violation;
  std::uint32_t steps = 0;
  std::uint32_t replicas = 1;  // How many servers there are.
};

// The name of a user of a process, counted from 1, as in lanes: "A.2". User 0 is the process.
[[nodiscard]] std::string user_name(std::string_view process, std::uint32_t user);

// A column of a drawing.
struct Lane {
  std::uint32_t process;
  std::uint32_t user;  // As in Moment.
  std::string name;
};
// Each process, followed by those of its users that have made a remark.
[[nodiscard]] std::vector<Lane> lanes_of(const Chronicle& chronicle);

// The moments to show, by index: all of them, or the first and the last ones of many.
[[nodiscard]] std::vector<std::size_t> excerpt(const Chronicle& chronicle, std::size_t first,
                                               std::size_t last);

// `text` without the GUIDs that protected creates put into names: "lock-0000000003" is short for
// "_c_<guid>-lock-0000000003".
[[nodiscard]] std::string without_guids(std::string_view text);

// The same for all texts of one chronicle, which also name a session by its process. Znodes whose
// names differ only in the GUID keep as much of it as tells them apart:
// "_c_1f0e...-lock-0000000003".
class ShortNames {
 public:
  explicit ShortNames(const Chronicle& chronicle);
  [[nodiscard]] std::string operator()(std::string_view text) const;

 private:
  // How many characters of which GUIDs are kept.
  std::map<std::string, std::size_t, std::less<>> kept_;
  std::map<std::string, std::string, std::less<>> sessions_;  // The names of their processes.
};

}  // namespace lockstep::search
