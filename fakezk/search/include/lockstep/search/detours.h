#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/search/schedule.h"

namespace lockstep::search {

// A deviation from the default schedule, told by events instead of by its position: an event waits
// for another one. It keeps its meaning when earlier deviations are left out, which shifts all
// positions. A turn counts how often an event has happened before.
struct Detour {
  enum class Kind : std::uint8_t {
    kOrder,   // `at` does not have this turn before `first` has had its own.
    kFault,   // The fault `first` strikes as soon as it can, once `at` is due for this turn.
    kNumber,  // The event `at` takes a number; the turn counts the numbers it has asked for.
  };
  Kind kind = Kind::kOrder;
  fakezk::Event at{};
  std::uint32_t turn = 0;
  fakezk::Event first{};
  std::uint32_t first_turn = 0;  // kNumber: the number.

  friend bool operator==(const Detour&, const Detour&) = default;
};

// Follows deviations by position, and where there is none, detours. Notes all deviations of the
// execution as detours. A detour that is impossible is left out.
class DetourReplay final : public fakezk::Chooser {
 public:
  // Both lists outlive it.
  DetourReplay(const std::vector<fakezk::Deviation>& deviations,
               const std::vector<Detour>& detours);
  fakezk::Choice next(const fakezk::Menu& menu) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;
  [[nodiscard]] const std::vector<Detour>& noted() const { return noted_; }

 private:
  using Name = std::uint64_t;  // Of an event.
  using Turn = std::pair<Name, std::uint32_t>;
  [[nodiscard]] static Name name_of(const fakezk::Event& event);

  [[nodiscard]] std::uint32_t turn_of(const fakezk::Event& event);
  [[nodiscard]] fakezk::Choice wanted(const fakezk::Menu& menu);
  [[nodiscard]] std::optional<std::uint32_t> wanted_fault(const fakezk::Menu& menu);
  // The detour that makes this event wait; null if it need not.
  [[nodiscard]] const Detour* wait_of(const fakezk::Event& event);
  void note(const fakezk::Menu& menu, fakezk::Choice choice);

  Replay positions_;
  std::multimap<Turn, const Detour*> orders_;
  std::map<Turn, std::uint32_t> numbers_;
  std::vector<const Detour*> faults_;  // Those that have not struck.
  std::map<Name, std::uint32_t> turns_;
  std::map<Name, std::uint32_t> asked_;  // Numbers, by the event that asked.
  fakezk::Event now_{};                  // The event that happens.
  std::vector<Detour> noted_;
};

}  // namespace lockstep::search
