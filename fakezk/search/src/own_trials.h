#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lockstep/search/shrink_scenario.h"
#include "lockstep/search/trials.h"

namespace lockstep::search {

// Runs trials in this process, which does not survive a program that ends it.
class OwnTrials final : public Trials {
 public:
  using Make = std::function<std::unique_ptr<Program>(std::uint32_t, std::uint32_t)>;
  explicit OwnTrials(Make make) : make_(std::move(make)) {}

  Trial run(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
            const std::vector<fakezk::Deviation>& deviations) override;
  Trial run_detours(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
                    const std::vector<fakezk::Deviation>& deviations,
                    const std::vector<Detour>& detours) override;
  Caught hunt(std::uint32_t clients, std::uint32_t rounds, const ExecutionLimits& limits,
              const ShortHunt& what) override;
  std::vector<fakezk::Event> faults(std::uint32_t clients, std::uint32_t rounds,
                                    const ExecutionLimits& limits,
                                    const std::vector<fakezk::Deviation>& deviations) override;

 private:
  // Makes the program in this size, and its world. Keeps both, because most trials have the same
  // size as the last one.
  void use(std::uint32_t clients, std::uint32_t rounds);

  Make make_;
  std::uint32_t clients_ = 0;
  std::uint32_t rounds_ = 0;
  std::unique_ptr<Program> program_;
  std::unique_ptr<fakezk::World> world_;
};

}  // namespace lockstep::search
