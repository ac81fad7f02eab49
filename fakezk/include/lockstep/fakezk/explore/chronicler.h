#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lockstep/fakezk/explore/chronicle.h"
#include "lockstep/fakezk/trace.h"

namespace lockstep::fakezk {

// Writes an execution down while it runs. Begins where World::set_tracer makes it the tracer.
class Chronicler final : public Tracer {
 public:
  explicit Chronicler(const World& world) : world_(world) {}

  void step(const Step& step) override;
  void note(std::uint32_t process, std::string_view text) override;
  void grant_begins(std::uint32_t process, const Path& znode) override;
  void grant_ends(std::uint32_t process, const Path& znode) override;
  void settled() override;

  // What has been written down, with the names that the program gives to its processes.
  [[nodiscard]] Chronicle chronicle(const Program& program) const;

 private:
  using WatchKey = std::tuple<std::uint32_t, std::string, bool>;  // As in WatchSpan.

  Moment& add(const Step& step, Moment::Kind kind, std::uint32_t process, std::string text);
  void applied(const Step& step);
  void received(const Step& step);
  void replied(const Step& step, Moment& moment);
  void injected(const Step& step);
  void end_grants(std::uint32_t process);
  [[nodiscard]] std::string lost_by_cut(const Step& step) const;
  void lost_with_leader(const Step& step);
  [[nodiscard]] std::string path_of(const Step& step) const;
  void learn_sessions();
  void take_in_changes(std::uint32_t step, std::size_t moment);
  void take_in(const Change& change, std::uint32_t step, std::size_t moment);
  void take_in_watches();
  void watch_of(LinkIndex link, const WatchTable& table, bool children,
                std::map<WatchKey, std::size_t>& now);
  [[nodiscard]] std::string describe(const Server::Applied& applied) const;
  [[nodiscard]] std::uint32_t process_of(SessionId session) const;
  [[nodiscard]] std::uint32_t process_of_session(SessionIndex session) const;

  const World& world_;
  Chronicle written_;
  std::size_t current_ = 0;  // The first moment of the step that is under way.
  std::uint32_t step_ = 0;
  std::int64_t time_ms_ = 0;
  std::size_t changes_seen_ = 0;
  std::map<SessionId, std::uint32_t> process_of_;
  std::map<WatchKey, std::size_t> watched_;  // Each with its place in written_.watches.
  std::map<LinkIndex, std::deque<std::pair<OpCode, std::size_t>>> unanswered_;
};

}  // namespace lockstep::fakezk
