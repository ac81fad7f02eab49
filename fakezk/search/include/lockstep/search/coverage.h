#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/search/program.h"

namespace lockstep::search {

// A set of hashes that only grows, to count how many different ones were seen.
class DistinctHashes {
 public:
  void add(std::uint64_t hash);
  void add_all(const DistinctHashes& other);
  [[nodiscard]] std::size_t size() const;

 private:
  void settle() const;

  // Sorted and unique up to sorted_; after that in the order in which they came.
  mutable std::vector<std::uint64_t> hashes_;
  mutable std::size_t sorted_ = 0;
};

// The events, faults, traces and states that a search has reached, and those it never reached.
// Equal for any number of jobs, unless a violation ended the search: then it covers the executions
// that had run by then.
class Coverage {
 public:
  static constexpr std::size_t kEventKinds =
      static_cast<std::size_t>(fakezk::Event::Kind::kGoOn) + 1;

  // Different orders of steps, and different states between two steps (state_hash).
  [[nodiscard]] std::size_t traces() const { return traces_.size(); }
  [[nodiscard]] std::size_t states() const { return states_.size(); }
  [[nodiscard]] std::uint64_t events(fakezk::Event::Kind kind) const {
    return events_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] std::uint64_t faults(fakezk::FaultKind kind) const {
    return faults_[static_cast<std::size_t>(kind)];
  }

  void saw_trace(std::uint64_t trace_hash) { traces_.add(trace_hash); }
  void saw_state(std::uint64_t hash) { states_.add(hash); }
  void saw(const fakezk::Event& event);
  void add(const Coverage& other);

  // A paragraph: what was reached, how often, and what never was.
  [[nodiscard]] std::string text() const;

 private:
  DistinctHashes traces_;
  DistinctHashes states_;
  std::array<std::uint64_t, kEventKinds> events_{};
  std::array<std::uint64_t, fakezk::kFaultKinds> faults_{};
};

// The name of an event that is no fault: "deliver", "apply", ...
[[nodiscard]] std::string_view name(fakezk::Event::Kind kind);

// Watches executions for a Coverage. Examining every state takes ten times as long as reaching it.
class CoverageTracer final : public fakezk::Tracer {
 public:
  explicit CoverageTracer(fakezk::World& world) : world_(world) {}
  void step(const fakezk::Step& step) override { coverage_.saw(step.event); }
  void note(std::uint32_t, std::string_view) override {}
  void settled() override;
  void ended(const Outcome& outcome) { coverage_.saw_trace(outcome.trace_hash); }
  [[nodiscard]] const Coverage& coverage() const { return coverage_; }

 private:
  fakezk::World& world_;
  Coverage coverage_;
};

}  // namespace lockstep::search
