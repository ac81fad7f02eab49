#pragma once

#include <string>

#include "lockstep/search/timeline.h"
#include "search.h"

namespace lockstep::program {

// The caption of a replay's timeline page; `replay` is the string of the execution that was run.
[[nodiscard]] search::TimelineCaption caption_of(const search::ReplayString& replay,
                                                 const search::Recording& recording,
                                                 const std::string& program);

// The page of a search's result: the failure, or the default execution.
[[nodiscard]] std::string page_of(const HuntCommand& what, const lab::HuntReport& report,
                                  const std::string& program);

// The source of a test of this repository that replays the failure.
[[nodiscard]] std::string regression_test_of(const search::Failure& failure,
                                             std::string_view scenario);

}  // namespace lockstep::program
