#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/explore/program.h"
#include "lockstep/fakezk/trace.h"

namespace lockstep::fakezk {

// Draws an execution as text: time runs down, each process has a lane of its own.
//
//   ->  the server applies a request of this process, and what it answers
//   <-  the process receives a reply, or (!) a watch event
//   **  something goes wrong on purpose
//   ==  what the program itself says: it holds the lock, it gives up
//
// A reply that is received in the step after the request was applied is drawn on the request's
// line. GUIDs are left out of names: "lock-0000000003" is "_c_<guid>-lock-0000000003".
class Lanes final : public Tracer {
 public:
  explicit Lanes(const World& world) : world_(world) {}

  void step(const Step& step) override;
  void note(std::uint32_t process, std::string_view text) override;

  // The lanes of `processes` processes, with their names on top.
  [[nodiscard]] std::string render(const Program& program) const;

 private:
  struct Row {
    std::uint32_t step;
    std::int64_t time_ms;
    std::uint32_t process;
    std::string text;
    bool awaits_reply = false;
  };

  void add(const Step& step, std::uint32_t process, std::string text);
  void applied(const Step& step);
  void received(const Step& step);
  void fault(const Step& step);
  [[nodiscard]] std::string describe(const Server::Applied& applied) const;
  [[nodiscard]] std::uint32_t process_of_session(SessionIndex session) const;

  const World& world_;
  std::vector<Row> rows_;
};

// `text` without the GUIDs that protected creates put into names.
[[nodiscard]] std::string without_guids(std::string_view text);

}  // namespace lockstep::fakezk
