#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lockstep/path.h"
#include "lockstep/request.h"
#include "lockstep/stat.h"

namespace lockstep::differential {

// Formats a server's answers without anything that varies between servers.
class Names {
 public:
  // The program's znode and its parent, which no other program uses.
  void set_origin(Path parent, Path own, Zxid created);
  // A session's name has its number in the program, and marks later sessions of that number
  // ("s1'").
  void add_session(SessionId id, std::string name) { sessions_[id] = std::move(name); }

  [[nodiscard]] std::string path(const Path& path) const;
  [[nodiscard]] std::string stat(const Stat& stat);
  [[nodiscard]] std::string reply(OpCode op, const Reply& reply);

 private:
  [[nodiscard]] std::string zxid(Zxid zxid) const;
  [[nodiscard]] std::string session(SessionId id) const;
  // Whether `time_ms` agrees with the time seen before for that transaction, if any.
  [[nodiscard]] bool is_time_of(Zxid zxid, std::int64_t time_ms);
  [[nodiscard]] std::string results(const Reply& reply);

  Path parent_;
  Path own_;
  Zxid first_zxid_ = 0;
  std::map<SessionId, std::string> sessions_;
  std::map<Zxid, std::int64_t> times_;
};

}  // namespace lockstep::differential
