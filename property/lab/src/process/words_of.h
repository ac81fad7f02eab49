#pragma once

#include <memory>
#include <string_view>

#include "lockstep/lab/scenario.h"
#include "lockstep/search/program.h"
#include "process/under_way.h"

namespace lockstep::lab {

// The arguments of with_last_words().
struct LastWordsOf {
  std::string_view scenario;
  ScenarioSize size;
  const fakezk::FaultPlan& faults;
  std::string_view replay_by;
  const Explainer* explainer = nullptr;  // Outlives the program.
  bool is_searched = false;              // A search::Searcher runs it.
};

// with_last_words (lockstep/lab/last_words.h) with all its arguments.
[[nodiscard]] std::unique_ptr<search::Program> with_last_words(
    std::unique_ptr<search::Program> program, const LastWordsOf& whose);

}  // namespace lockstep::lab
