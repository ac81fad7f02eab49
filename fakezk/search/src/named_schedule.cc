#include "lockstep/search/named_schedule.h"

#include <algorithm>
#include <span>

#include "lockstep/fakezk/random_stream.h"

namespace lockstep::search {

namespace {

using Place = NamedDeviation::Place;

// More than there are processes.
constexpr std::uint32_t kProcesses = fakezk::Threads::kMostProcesses;
// Nothing would happen: the place of a last fault.
constexpr fakezk::Event kNothing{fakezk::Event::Kind::kFault, fakezk::FaultKind::kCut,
                                 0xffff'ffffu};

std::uint64_t key_of(const fakezk::Event& event) {
  return std::uint64_t{event.index} << 16 | static_cast<std::uint64_t>(event.kind) << 8 |
         static_cast<std::uint64_t>(event.fault);
}

std::uint64_t key_of(const Place& place) {
  return fakezk::mix(key_of(place.event) ^
                     fakezk::mix(std::uint64_t{place.times} << 32 | place.number));
}

bool is_of_a_link(const fakezk::Event& event) {
  return event.kind == fakezk::Event::Kind::kDeliver || event.kind == fakezk::Event::Kind::kApply;
}

fakezk::Event chosen(const fakezk::Menu& menu, fakezk::Choice choice) {
  const std::span<const fakezk::Event> from = choice.fault ? menu.faults() : menu.events();
  return from[choice.index % from.size()];
}

}  // namespace

fakezk::Event EventTallies::named(fakezk::Event event) {
  if (!is_of_a_link(event)) return event;
  while (links_.size() <= event.index) {
    const std::uint32_t process = world_.process_of(static_cast<std::uint32_t>(links_.size()));
    const auto before = std::ranges::count_if(
        links_, [&](std::uint32_t link) { return link % kProcesses == process; });
    links_.push_back(process + kProcesses * static_cast<std::uint32_t>(before));
  }
  event.index = links_[event.index];
  return event;
}

std::uint32_t& EventTallies::times(const fakezk::Event& named) { return times_[key_of(named)]; }

Place EventTallies::place(const fakezk::Menu& menu) {
  const fakezk::Event event = menu.events().empty() ? kNothing : named(menu.events().front());
  return {event, times(event), 0};
}

Place EventTallies::place_of_number() {
  ++under_way_.number;
  return under_way_;
}

void EventTallies::happens(const fakezk::Event& event) {
  const fakezk::Event name = named(event);
  under_way_ = {name, times(name)++, 0};
}

fakezk::Choice NamingChooser::next(const fakezk::Menu& menu) {
  return chose(menu, chooser_.next(menu));
}

std::optional<std::uint32_t> NamingChooser::last_fault(const fakezk::Menu& menu) {
  const std::optional<std::uint32_t> fault = chooser_.last_fault(menu);
  if (fault && !menu.faults().empty()) chose(menu, {true, *fault});
  return fault;
}

fakezk::Choice NamingChooser::chose(const fakezk::Menu& menu, fakezk::Choice choice) {
  if (choice.fault && menu.faults().empty()) choice = fakezk::Choice();
  const fakezk::Event event = chosen(menu, choice);
  const bool is_default = !choice.fault && choice.index % menu.events().size() == 0;
  if (!is_default) named_.push_back({counts_.place(menu), counts_.named(event), 0});
  counts_.happens(event);
  return choice;
}

std::uint32_t NamingChooser::number(std::uint32_t options) {
  const Place place = counts_.place_of_number();
  const std::uint32_t drawn = chooser_.number(options) % options;
  if (drawn != 0) named_.push_back({place, {}, drawn});
  return drawn;
}

NamedReplay::NamedReplay(const fakezk::World& world, const NamedSchedule& schedule)
    : counts_(world), schedule_(schedule) {
  for (std::size_t i = 0; i < schedule.size(); ++i) waiting_.emplace(key_of(schedule[i].place), i);
}

const NamedDeviation* NamedReplay::take(const Place& place) {
  const auto [begin, end] = waiting_.equal_range(key_of(place));
  const auto first =
      std::ranges::min_element(begin, end, {}, [](const auto& entry) { return entry.second; });
  if (first == end) return nullptr;
  const NamedDeviation& deviation = schedule_[first->second];
  waiting_.erase(first);
  return &deviation;
}

std::optional<fakezk::Choice> NamedReplay::choice_of(const fakezk::Menu& menu,
                                                     const fakezk::Event& event) {
  const bool is_fault = event.kind == fakezk::Event::Kind::kFault;
  const std::span<const fakezk::Event> from = is_fault ? menu.faults() : menu.events();
  for (std::uint32_t i = 0; i < from.size(); ++i) {
    if (counts_.named(from[i]) == event) return fakezk::Choice{is_fault, i};
  }
  return std::nullopt;
}

// Takes the first deviation of this place that can happen.
std::optional<fakezk::Choice> NamedReplay::choice_in(const fakezk::Menu& menu) {
  const Place place = counts_.place(menu);
  std::optional<fakezk::Choice> choice;
  while (const NamedDeviation* const deviation = choice ? nullptr : take(place)) {
    choice = choice_of(menu, deviation->instead);
  }
  return choice;
}

fakezk::Choice NamedReplay::next(const fakezk::Menu& menu) {
  const fakezk::Choice choice = choice_in(menu).value_or(fakezk::Choice());
  counts_.happens(chosen(menu, choice));
  return choice;
}

std::optional<std::uint32_t> NamedReplay::last_fault(const fakezk::Menu& menu) {
  const std::optional<fakezk::Choice> choice = choice_in(menu);
  if (!choice) return std::nullopt;
  counts_.happens(chosen(menu, *choice));
  return choice->index;
}

std::uint32_t NamedReplay::number(std::uint32_t options) {
  const NamedDeviation* const deviation = take(counts_.place_of_number());
  return deviation ? deviation->drawn % options : 0;
}

}  // namespace lockstep::search
