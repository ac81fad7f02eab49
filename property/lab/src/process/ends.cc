#include "process/ends.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace lockstep::lab {

namespace {

enum class Kind : std::uint32_t { kEnd, kTrial };

struct Head {
  Kind kind;
  std::uint64_t execution;
  std::uint32_t step;
  std::uint32_t text;
  std::uint32_t deviations;
};
struct Choice {
  std::uint32_t position;
  std::uint32_t fault;
  std::uint32_t index;
};

// Follows the deviations of a trial.
struct Rest {
  std::uint64_t trace_hash;
  std::uint32_t positions;
  std::uint32_t events;
  std::uint32_t oracle;  // The length of its name; 0 without a violation. Its message follows.
  std::uint32_t message;
  std::uint32_t violated_at;
  std::uint32_t detours;
};
struct OrderHead {
  std::uint64_t execution;
  std::uint32_t deviations;
  std::uint32_t notes_detours;
  std::uint32_t detours;
};
static_assert(std::is_trivially_copyable_v<search::Detour>);
static_assert(std::is_trivially_copyable_v<search::Judgements>);

constexpr std::string_view kHas = " has ";
constexpr std::string_view kCrash = "crash";

bool write_all(int file, const void* from, std::size_t size) noexcept {
  const auto* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, void* into, std::size_t size) {
  auto* bytes = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t got = ::read(file, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// Writes in batches, because it must not allocate.
bool write_deviations(int file, const std::vector<fakezk::Deviation>& deviations) noexcept {
  std::array<Choice, 128> some{};
  for (std::size_t done = 0; done < deviations.size();) {
    const std::size_t count = std::min(some.size(), deviations.size() - done);
    for (std::size_t i = 0; i < count; ++i, ++done) {
      const fakezk::Deviation& deviation = deviations[done];
      some[i] = {deviation.position, deviation.choice.fault ? 1U : 0U, deviation.choice.index};
    }
    if (!write_all(file, some.data(), count * sizeof(Choice))) return false;
  }
  return true;
}

bool read_deviations(int file, std::uint32_t count, std::vector<fakezk::Deviation>& deviations) {
  std::vector<Choice> choices(count);
  if (!read_all(file, choices.data(), count * sizeof(Choice))) return false;
  for (const Choice& choice : choices) {
    fakezk::Deviation& deviation = deviations.emplace_back();
    deviation.position = choice.position;
    deviation.choice.fault = choice.fault != 0;
    deviation.choice.index = choice.index;
  }
  return true;
}

bool write_detours(int file, const std::vector<search::Detour>& detours) {
  return write_all(file, detours.data(), detours.size() * sizeof(search::Detour));
}

bool read_detours(int file, std::uint32_t count, std::vector<search::Detour>& detours) {
  detours.resize(count);
  return read_all(file, detours.data(), detours.size() * sizeof(search::Detour));
}

std::optional<End> read_end_after(int file, const Head& head) {
  End end{std::string(head.text, '\0'), head.step, head.execution, {}};
  if (!read_all(file, end.what.data(), end.what.size())) return std::nullopt;
  if (!read_deviations(file, head.deviations, end.deviations)) return std::nullopt;
  return end;
}

ReportedTrial crashed(End end) {
  ReportedTrial told;
  told.ended_process = true;
  told.execution = end.execution;
  told.trial.outcome.violation =
      search::Violation{std::string(kCrash), std::move(end.what), end.step};
  told.trial.outcome.steps = end.step;
  told.trial.deviations = std::move(end.deviations);
  return told;
}

std::optional<ReportedTrial> read_trial_after(int file, const Head& head) {
  ReportedTrial told;
  search::Outcome& outcome = told.trial.outcome;
  outcome.steps = head.step;
  Rest rest{};
  if (!read_deviations(file, head.deviations, told.trial.deviations) ||
      !read_all(file, &rest, sizeof rest) ||
      !read_all(file, &outcome.judged, sizeof outcome.judged)) {
    return std::nullopt;
  }
  outcome.trace_hash = rest.trace_hash;
  outcome.positions = rest.positions;
  search::Violation violation{std::string(rest.oracle, '\0'), std::string(rest.message, '\0'),
                              rest.violated_at};
  told.events.resize(rest.events);
  if (!read_all(file, violation.oracle.data(), violation.oracle.size()) ||
      !read_all(file, violation.message.data(), violation.message.size()) ||
      !read_all(file, told.events.data(), told.events.size() * sizeof told.events[0]) ||
      !read_detours(file, rest.detours, told.trial.detours)) {
    return std::nullopt;
  }
  if (rest.oracle > 0) outcome.violation = std::move(violation);
  return told;
}

}  // namespace

bool write_end(int file, const EndReport& end) noexcept {
  const Head head{Kind::kEnd, end.execution, end.step,
                  static_cast<std::uint32_t>(end.who.size() + kHas.size() + end.what.size()),
                  static_cast<std::uint32_t>(end.deviations.size())};
  if (!write_all(file, &head, sizeof head)) return false;
  for (const std::string_view text : std::array{end.who, kHas, end.what}) {
    if (!write_all(file, text.data(), text.size())) return false;
  }
  return write_deviations(file, end.deviations);
}

std::optional<End> read_end(int file) {
  Head head{};
  if (!read_all(file, &head, sizeof head)) return std::nullopt;
  return read_end_after(file, head);
}

bool write_trial(int file, const search::Trial& trial, const std::vector<std::uint32_t>& events) {
  const search::Outcome& outcome = trial.outcome;
  const search::Violation violation = outcome.violation.value_or(search::Violation());
  const Head head{Kind::kTrial, 0, outcome.steps, 0,
                  static_cast<std::uint32_t>(trial.deviations.size())};
  const Rest rest{outcome.trace_hash,
                  outcome.positions,
                  static_cast<std::uint32_t>(events.size()),
                  static_cast<std::uint32_t>(violation.oracle.size()),
                  static_cast<std::uint32_t>(violation.message.size()),
                  violation.step,
                  static_cast<std::uint32_t>(trial.detours.size())};
  return write_all(file, &head, sizeof head) && write_deviations(file, trial.deviations) &&
         write_all(file, &rest, sizeof rest) &&
         write_all(file, &outcome.judged, sizeof outcome.judged) &&
         write_all(file, violation.oracle.data(), violation.oracle.size()) &&
         write_all(file, violation.message.data(), violation.message.size()) &&
         write_all(file, events.data(), events.size() * sizeof events[0]) &&
         write_detours(file, trial.detours);
}

std::optional<ReportedTrial> read_trial(int file) {
  Head head{};
  if (!read_all(file, &head, sizeof head)) return std::nullopt;
  if (head.kind == Kind::kTrial) return read_trial_after(file, head);
  std::optional<End> end = read_end_after(file, head);
  if (!end) return std::nullopt;
  return crashed(*std::move(end));
}

bool write_order(int file, const Order& order) {
  const OrderHead head{order.execution, static_cast<std::uint32_t>(order.deviations.size()),
                       order.notes_detours ? 1U : 0U,
                       static_cast<std::uint32_t>(order.detours.size())};
  return write_all(file, &head, sizeof head) && write_deviations(file, order.deviations) &&
         write_detours(file, order.detours);
}

std::optional<Order> read_order(int file) {
  OrderHead head{};
  if (!read_all(file, &head, sizeof head)) return std::nullopt;
  Order order{.execution = head.execution, .notes_detours = head.notes_detours != 0};
  if (!read_deviations(file, head.deviations, order.deviations) ||
      !read_detours(file, head.detours, order.detours)) {
    return std::nullopt;
  }
  return order;
}

}  // namespace lockstep::lab
