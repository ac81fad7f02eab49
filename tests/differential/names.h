#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lockstep/path.h"
#include "lockstep/request.h"
#include "lockstep/stat.h"

namespace lockstep::differential {

// Says what a server answered in words that do not depend on which server it was.
class Names {
 public:
  // The program's own znode, and its parent, which is also only the program's.
  void set_origin(Path parent, Path own, Zxid created);
  // Sessions are called by their number in the program, and which of its sessions it is ("s1'").
  void add_session(SessionId id, std::string name) { sessions_[id] = std::move(name); }

  [[nodiscard]] std::string path(const Path& path) const;
  [[nodiscard]] std::string stat(const Stat& stat);
  [[nodiscard]] std::string reply(OpCode op, const Reply& reply);

 private:
  [[nodiscard]] std::string zxid(Zxid zxid) const;
  [[nodiscard]] std::string session(SessionId id) const;
  // Whether this is the time of that transaction, as far as it is known.
  [[nodiscard]] bool is_time_of(Zxid zxid, std::int64_t time_ms);
  [[nodiscard]] std::string results(const Reply& reply);

  Path parent_;
  Path own_;
  Zxid first_zxid_ = 0;
  std::map<SessionId, std::string> sessions_;
  std::map<Zxid, std::int64_t> times_;
};

}  // namespace lockstep::differential
