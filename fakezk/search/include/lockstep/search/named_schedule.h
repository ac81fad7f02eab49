#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/world.h"

namespace lockstep::search {

// A deviation by the events that it is about, instead of by numbers: "when thread 3 would go on for
// the 17th time, a message arrives instead". It keeps its meaning when an earlier one is left out.
struct NamedDeviation {
  struct Place {
    // This event would happen now by default, or is under way and needs its number-th number.
    fakezk::Event event{};
    std::uint32_t times = 0;  // How often it has happened before.
    std::uint32_t number = 0;

    friend bool operator==(const Place&, const Place&) = default;
  };
  Place place;
  fakezk::Event instead{};  // What happens there, if it is no number.
  std::uint32_t drawn = 0;  // The number.

  friend bool operator==(const NamedDeviation&, const NamedDeviation&) = default;
};
using NamedSchedule = std::vector<NamedDeviation>;

// Keeps count of the events of an execution.
class EventTallies {
 public:
  explicit EventTallies(const fakezk::World& world) : world_(world) {}
  // A link becomes the n-th one of its process, because processes connect in any order.
  [[nodiscard]] fakezk::Event named(fakezk::Event event);
  [[nodiscard]] NamedDeviation::Place place(const fakezk::Menu& menu);
  [[nodiscard]] NamedDeviation::Place place_of_number();
  void happens(const fakezk::Event& event);

 private:
  [[nodiscard]] std::uint32_t& times(const fakezk::Event& named);

  const fakezk::World& world_;
  std::vector<std::uint32_t> links_;  // The names of links, by their indices.
  std::map<std::uint64_t, std::uint32_t> times_;
  NamedDeviation::Place under_way_;
};

// Makes the choices of another chooser, and names those that are not the default ones.
class NamingChooser final : public fakezk::Chooser {
 public:
  NamingChooser(const fakezk::World& world, fakezk::Chooser& chooser)
      : counts_(world), chooser_(chooser) {}
  fakezk::Choice next(const fakezk::Menu& menu) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;

  [[nodiscard]] NamedSchedule& named() { return named_; }

 private:
  fakezk::Choice chose(const fakezk::Menu& menu, fakezk::Choice choice);

  EventTallies counts_;
  fakezk::Chooser& chooser_;
  NamedSchedule named_;
};

// Follows a named schedule, which outlives it. Passes over events that cannot happen.
class NamedReplay final : public fakezk::Chooser {
 public:
  NamedReplay(const fakezk::World& world, const NamedSchedule& schedule);
  fakezk::Choice next(const fakezk::Menu& menu) override;
  std::optional<std::uint32_t> last_fault(const fakezk::Menu& menu) override;
  std::uint32_t number(std::uint32_t options) override;

 private:
  // The next deviation of that place; null if there is none.
  const NamedDeviation* take(const NamedDeviation::Place& place);
  std::optional<fakezk::Choice> choice_in(const fakezk::Menu& menu);
  std::optional<fakezk::Choice> choice_of(const fakezk::Menu& menu, const fakezk::Event& event);

  EventTallies counts_;
  const NamedSchedule& schedule_;
  std::multimap<std::uint64_t, std::size_t> waiting_;  // By the hash of their places.
};

}  // namespace lockstep::search
