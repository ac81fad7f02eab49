#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// Identifies a step that can happen at most once at a time, whatever else happens: a request of
// this link is applied, that session is cut off. The same key later on is the next step of the same
// source.
using StepKey = std::uint64_t;

// The choice that nothing happens any more, although a fault could.
inline constexpr StepKey kTheEnd = static_cast<StepKey>(-1);

[[nodiscard]] StepKey key_of(const fakezk::Event& event, const fakezk::Server& server);
[[nodiscard]] bool is_fault(StepKey key);
[[nodiscard]] bool is_timer(StepKey key);
[[nodiscard]] bool is_wake(StepKey key);
// The link of a delivery; none for other steps.
[[nodiscard]] std::optional<fakezk::LinkIndex> delivers_over(StepKey key);
[[nodiscard]] fakezk::FaultKind fault_of(StepKey key);
// True if the step concerns a znode, which the key identifies by the number of its path.
[[nodiscard]] bool is_about_path(StepKey key);
// The same number for this step in every search: the path itself replaces the path's number.
[[nodiscard]] std::uint64_t label(StepKey key, const fakezk::PathTable& paths);
[[nodiscard]] std::string describe(StepKey key);

// A fault under a name that all worlds share: path numbers differ between worlds.
struct Fault {
  Fault(StepKey fault, const fakezk::PathTable& paths);
  Fault(StepKey without_path, std::string of) : key(without_path), path(std::move(of)) {}
  // True if `fault` is this one in the world with these paths.
  [[nodiscard]] bool is(StepKey fault, const fakezk::PathTable& paths) const;

  StepKey key;       // Without the number of a path.
  std::string path;  // Empty if it concerns none.

  friend auto operator<=>(const Fault&, const Fault&) = default;
};

}  // namespace lockstep::search
