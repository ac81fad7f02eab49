#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/footprint.h"
#include "lockstep/search/checkpoint.h"
#include "lockstep/search/hunt.h"
#include "lockstep/search/program.h"

namespace lockstep::search {

// The equivalent orders that an exhaustive search leaves out.
enum class Reduction : std::uint8_t {
  kNone,    // Tries every order. For tiny programs, and to check the others.
  kSleep,   // P. Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems",
            // 1996: sleep sets. Each trace is completed once, but many runs end half way.
  kSource,  // P. Abdulla et al., "Optimal dynamic partial order reduction", POPL 2014: source sets
            // together with sleep sets.
};

// The reductions by their names in `lockstep hunt --reduction`, the best one last.
struct ReductionName {
  std::string_view name;
  Reduction reduction;
};
[[nodiscard]] std::span<const ReductionName> reductions();

struct ExhaustiveOptions {
  ExecutionLimits limits;
  Reduction reduction = Reduction::kSource;
  // The most executions, counted as ExhaustiveResult::executions.
  std::uint64_t executions = std::numeric_limits<std::uint64_t>::max();
  // Called now and then with the number of executions so far; false ends the search.
  std::function<bool(std::uint64_t)> keep_going;
  // Called when a combination of faults has been searched, by one job at a time (source sets only).
  std::function<void(const ExhaustiveEstimate&)> progress;
  // With source sets and without a bound on executions: the search goes on from here, and keeps
  // here what it has finished. The result is that of an uninterrupted search. Null: nowhere.
  Checkpoint* checkpoint = nullptr;
  // Kinds of objects that footprints leave out. The search is unsound unless this is empty: tests
  // leave a kind out to show that the search needs it.
  std::vector<fakezk::ObjectKind> left_out;
};

struct ExhaustiveResult {
  // True if every schedule with up to `fault_budget` faults, or an equivalent one, has been tried,
  // and no execution was cut.
  bool exhausted = false;
  // How many budgets, from 0 upwards, were searched without a cut, and the last of them.
  std::uint32_t budgets_finished = 0;
  std::uint32_t fault_budget = 0;
  // The budget that was being searched when the search ended.
  std::uint32_t fault_budget_reached = 0;
  // Complete executions that differ in more than the order of independent steps.
  std::uint64_t traces = 0;
  std::uint64_t executions = 0;  // All that were run, including those that ended half way.
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;  // Sum over the traces.
  // Identifies the set of (Mazurkiewicz) traces: what happened in each, and what depended on what.
  // Every order of a trace counts as the same, so all reductions arrive at the same number.
  std::uint64_t trace_set_hash = 0;
  std::uint64_t final_states = 0;  // Distinct states, zxids aside, in which traces end.
  std::uint64_t state_hash = 0;    // Sum over the final states.
  // How many traces have a fault of each kind (source sets only).
  std::vector<std::pair<fakezk::FaultKind, std::uint64_t>> traces_by_fault;
  // Executions with more steps than `deepest`. The search tries no other orders of the steps after
  // that; such executions are no traces. They have gone on by the default schedule, with all faults
  // repaired and every process served in the end, and were judged like those of any hunt.
  std::uint64_t cut = 0;
  std::uint32_t deepest = 0;
  // How often each oracle judged something, in the traces and in the executions that were cut.
  Judgements judged;
  // True if ExhaustiveOptions::executions ended the search.
  bool stopped_by_count = false;
  // Adjacent steps that were taken for independent and tried in both orders.
  std::uint64_t pairs_checked = 0;
  // Empty, or two steps whose order mattered although their footprints do not meet. The search has
  // ended there, and proves nothing.
  std::string independence_violated;
  std::optional<Found> found;
};

// Empty, or why such a search refuses these faults: footprints do not record the order of
// independent writes in the log, which decides what the servers forget.
[[nodiscard]] std::string refused_faults(const fakezk::FaultPlan& faults);

// Tries every schedule of a program, budget by budget from no fault to limits.faults.total(), up to
// the order of steps that do not touch the same objects; ends with the first violation. That may be
// "misuse": each run repeats the beginning of an earlier one, and some are run twice, to find out
// whether the program is deterministic. Two kinds of choices keep their default: orders that
// ZooKeeper leaves unspecified, and how many requests the server has accepted when a connection is
// cut (a later cut has the same effect). Deterministic, on the calling thread.
//
// Steps are independent if their recorded footprints say so, zxids and time stamps aside: a program
// that computes with the zxids of unrelated znodes, with ctime or mtime, or with
// Session::last_contact(), is searched incompletely. refused_faults(limits.faults) must be empty.
// Throws UnusableCheckpoint if a checkpoint is damaged, or if the program without faults does not
// do what it did before the checkpoint; then the checkpoint is left as it was.
ExhaustiveResult search_exhaustively(Program& program, const ExhaustiveOptions& options);

// For reports on a search with cut executions: what it has not tried, and why.
[[nodiscard]] std::string after_the_cut(const ExhaustiveResult& result);

}  // namespace lockstep::search
