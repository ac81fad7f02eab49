#pragma once

#include <map>
#include <string>
#include <vector>

#include "differential/draw.h"
#include "differential/program.h"

namespace lockstep::differential {

// The probable znodes of a program that is being generated, as if every request succeeded. The
// guess may be wrong; it only makes most requests meaningful.
class Guess {
 public:
  explicit Guess(Draw& draw) : draw_(draw) {}

  // A path for a request: often of an existing znode, sometimes malformed.
  [[nodiscard]] std::string some_path();
  [[nodiscard]] std::string path_to_create();
  // Returns -1, the right version, or a wrong one.
  [[nodiscard]] std::int32_t some_version(const std::string& path);

  void sent(const Op& op, int session);
  void ended(int session);

 private:
  static constexpr int kNoSession = -1;
  struct Znode {
    int creates = 0;
    int version = 0;
    int owner = kNoSession;  // The session of an ephemeral.
  };
  [[nodiscard]] std::string any_of_the_universe();
  [[nodiscard]] std::string known();
  [[nodiscard]] std::string malformed();
  void created(const Op& op, int session);
  [[nodiscard]] bool has_children(const std::string& path) const;

  Draw& draw_;
  std::map<std::string, Znode> znodes_{{"", Znode()}};
};

}  // namespace lockstep::differential
