#pragma once

#include <string>

#include "lockstep/fakezk/explore/timeline.h"
#include "search.h"

namespace lockstep::program {

// What the timeline page says about a replay; `replay` is the string of what has run.
[[nodiscard]] fakezk::TimelineCaption caption_of(const fakezk::ReplayString& replay,
                                                 const fakezk::Recording& recording,
                                                 const std::string& program);

// The page of what a search has come to: the failure, or the calm execution.
[[nodiscard]] std::string page_of(const Search& what, const Searched& searched,
                                  const fakezk::Failure* failure, const std::string& program);

// The source of a test of this repository that replays the failure.
[[nodiscard]] std::string regression_test_of(const fakezk::Failure& failure,
                                             std::string_view scenario);

}  // namespace lockstep::program
