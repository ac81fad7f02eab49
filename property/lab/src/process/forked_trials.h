#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/trials.h"
#include "process/ends.h"

namespace lockstep::lab {

// Runs each trial in a child process of its own, so that code under test that ends its process does
// no harm. Such an end is the violation "crash"; no other violation is seen. A child that takes too
// long is killed, and breaks nothing. On one thread.
class ForkedTrials final : public search::Trials {
 public:
  // Makes a program with last words.
  using Make = std::function<std::unique_ptr<search::Program>(ScenarioSize)>;
  explicit ForkedTrials(Make make);

  search::Trial run(std::uint32_t clients, std::uint32_t rounds,
                    const search::ExecutionLimits& limits,
                    const std::vector<fakezk::Deviation>& deviations) override;
  search::Caught hunt(std::uint32_t clients, std::uint32_t rounds,
                      const search::ExecutionLimits& limits,
                      const search::ShortHunt& what) override;
  // Knows of none.
  std::vector<fakezk::Event> faults(std::uint32_t, std::uint32_t, const search::ExecutionLimits&,
                                    const std::vector<fakezk::Deviation>&) override {
    return {};
  }

  // The lanes of a schedule that ends its process in that step, up to the end.
  [[nodiscard]] std::string draw(ScenarioSize size, const search::ExecutionLimits& limits,
                                 const std::vector<fakezk::Deviation>& deviations,
                                 std::uint32_t last_step);

 private:
  // Runs `work` in a child, and returns how it ended the child, if it did.
  std::optional<End> in_child(const std::function<void()>& work);

  Make make_;
  std::int64_t give_up_at_;  // The time after which no trial begins.
};

}  // namespace lockstep::lab
