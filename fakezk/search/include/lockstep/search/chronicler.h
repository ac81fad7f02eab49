#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "lockstep/fakezk/trace.h"
#include "lockstep/search/chronicle.h"

namespace lockstep::search {

// Writes an execution down while it runs, from the moment it becomes the tracer
// (World::set_tracer).
class Chronicler final : public fakezk::Tracer {
 public:
  explicit Chronicler(const fakezk::World& world) : world_(world) {}

  void step(const fakezk::Step& step) override;
  void note(std::uint32_t process, std::string_view text) override { user_note(process, 0, text); }
  void user_note(std::uint32_t process, std::uint32_t user, std::string_view text) override;
  void grant_begins(std::uint32_t process, const Path& znode) override;
  void grant_ends(std::uint32_t process, const Path& znode) override;
  void settled() override;

  // The execution so far, with the names that the program gives to its processes.
  [[nodiscard]] Chronicle chronicle(const Program& program) const;

 private:
  using WatchKey = std::tuple<std::uint32_t, std::string, bool>;  // as in WatchSpan

  Moment& add(const fakezk::Step& step, Moment::Kind kind, std::uint32_t process, std::string text);
  [[nodiscard]] bool overtakes(std::uint32_t thread) const;
  void applied(const fakezk::Step& step);
  void received(const fakezk::Step& step);
  void replied(const fakezk::Step& step, Moment& moment);
  void injected(const fakezk::Step& step);
  [[nodiscard]] std::uint32_t process_of_fault(const fakezk::Step& step) const;
  void end_grants(std::uint32_t process);
  void lost_with_leader(const fakezk::Step& step);
  void learn_sessions();
  void take_in_changes(std::uint32_t step, std::size_t moment);
  void take_in(const fakezk::Change& change, std::uint32_t step, std::size_t moment);
  void take_in_watches();
  void watch_of(fakezk::LinkIndex link, const fakezk::WatchTable& table, bool children,
                std::map<WatchKey, std::size_t>& now);
  [[nodiscard]] std::uint32_t process_of(SessionId session) const;
  [[nodiscard]] std::uint32_t process_of_session(fakezk::SessionIndex session) const;

  const fakezk::World& world_;
  Chronicle written_;
  std::size_t current_ = 0;  // The first moment of the current step.
  std::uint32_t step_ = 0;
  std::int64_t time_ms_ = 0;
  std::size_t changes_seen_ = 0;
  std::map<SessionId, std::uint32_t> process_of_;
  std::map<WatchKey, std::size_t> watched_;  // Each with its index in written_.watches.
  std::map<fakezk::LinkIndex, std::deque<std::pair<OpCode, std::size_t>>> unanswered_;
};

}  // namespace lockstep::search
