#include "lockstep/search/detours.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace lockstep::search {

namespace {

// Stands for the default event where only a fault can happen.
constexpr fakezk::Event kNothing{fakezk::Event::Kind::kFault, fakezk::FaultKind::kCut, 0};

fakezk::Event by_default(const fakezk::Menu& menu) {
  return menu.events().empty() ? kNothing : menu.events().front();
}

std::size_t place(std::span<const fakezk::Event> events, const fakezk::Event& event) {
  return static_cast<std::size_t>(std::ranges::find(events, event) - events.begin());
}

}  // namespace

DetourReplay::DetourReplay(const std::vector<fakezk::Deviation>& deviations,
                           const std::vector<Detour>& detours)
    : positions_(deviations) {
  for (const Detour& detour : detours) {
    const Turn turn{name_of(detour.at), detour.turn};
    switch (detour.kind) {
      case Detour::Kind::kOrder: orders_.emplace(turn, &detour); break;
      case Detour::Kind::kFault: faults_.push_back(&detour); break;
      case Detour::Kind::kNumber: numbers_.emplace(turn, detour.first_turn); break;
    }
  }
}

DetourReplay::Name DetourReplay::name_of(const fakezk::Event& event) {
  const auto kind = static_cast<Name>(event.kind);
  const auto fault = static_cast<Name>(event.fault);
  return kind << 40 | fault << 32 | event.index;
}

std::uint32_t DetourReplay::turn_of(const fakezk::Event& event) {
  const auto turn = turns_.find(name_of(event));
  return turn == turns_.end() ? 0 : turn->second;
}

fakezk::Choice DetourReplay::next(const fakezk::Menu& menu) {
  fakezk::Choice choice = positions_.next(menu);
  if (choice == fakezk::Choice{}) choice = wanted(menu);
  note(menu, choice);
  return choice;
}

std::optional<std::uint32_t> DetourReplay::last_fault(const fakezk::Menu& menu) {
  std::optional<std::uint32_t> fault = positions_.last_fault(menu);
  if (!fault) fault = wanted_fault(menu);
  if (fault) note(menu, {true, *fault});
  return fault;
}

std::uint32_t DetourReplay::number(std::uint32_t options) {
  const std::uint32_t turn = asked_[name_of(now_)]++;
  std::uint32_t number = positions_.number(options);
  const auto detour = numbers_.find({name_of(now_), turn});
  if (number == 0 && detour != numbers_.end()) number = detour->second;
  number %= options;
  if (number != 0) noted_.push_back({Detour::Kind::kNumber, now_, turn, {}, number});
  return number;
}

fakezk::Choice DetourReplay::wanted(const fakezk::Menu& menu) {
  if (const std::optional<std::uint32_t> fault = wanted_fault(menu)) return {true, *fault};
  const std::span<const fakezk::Event> events = menu.events();
  std::vector<bool> waits(events.size());
  for (std::size_t at = 0; at < events.size();) {
    const Detour* const detour = wait_of(events[at]);
    if (!detour) return {false, static_cast<std::uint32_t>(at)};
    waits[at] = true;
    const std::size_t first = place(events, detour->first);
    const bool is_free = first < events.size() && !waits[first];
    at =
        is_free ? first : static_cast<std::size_t>(std::ranges::find(waits, false) - waits.begin());
  }
  return {};  // All wait for each other.
}

std::optional<std::uint32_t> DetourReplay::wanted_fault(const fakezk::Menu& menu) {
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    const Detour& detour = **fault;
    const std::uint32_t turn = turn_of(detour.at);
    const bool is_due = turn == detour.turn && detour.at == by_default(menu);
    if (turn <= detour.turn && !is_due) continue;
    const std::size_t index = place(menu.faults(), detour.first);
    if (index == menu.faults().size()) continue;
    faults_.erase(fault);
    return static_cast<std::uint32_t>(index);
  }
  return std::nullopt;
}

const Detour* DetourReplay::wait_of(const fakezk::Event& event) {
  const auto [begin, end] = orders_.equal_range({name_of(event), turn_of(event)});
  const auto waits = std::find_if(begin, end, [this](const auto& order) {
    return turn_of(order.second->first) <= order.second->first_turn;
  });
  return waits == end ? nullptr : waits->second;
}

// Counts as World does: indices are modulo the menu, and a fault where there is none is the default
// event.
void DetourReplay::note(const fakezk::Menu& menu, fakezk::Choice choice) {
  const fakezk::Event at = by_default(menu);
  if (choice.fault && menu.faults().empty()) choice = {};
  const std::span<const fakezk::Event> from = choice.fault ? menu.faults() : menu.events();
  if (from.empty()) return;
  now_ = from[choice.index % from.size()];
  const std::uint32_t turn = turn_of(at);
  const std::uint32_t first_turn = turns_[name_of(now_)]++;
  if (choice.fault) {
    noted_.push_back({Detour::Kind::kFault, at, turn, now_, first_turn});
  } else if (now_ != at) {
    noted_.push_back({Detour::Kind::kOrder, at, turn, now_, first_turn});
  }
}

}  // namespace lockstep::search
