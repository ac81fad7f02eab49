#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lockstep/search/chronicle.h"

namespace lockstep::search {

// The texts around a timeline.
struct TimelineCaption {
  struct Snippet {
    std::string title;  // "Replay it"
    std::string text;   // Meant to be copied verbatim.
    bool is_code = false;
  };

  std::string title;     // The scenario.
  std::string headline;  // Shown if the execution breaks nothing: "no violation in ...".
  std::vector<std::pair<std::string, std::string>> facts;  // "Seed", "1"
  std::vector<Snippet> snippets;
};

// The execution as one HTML page that needs no network and no other file: a lane per process, each
// step with its details, the tree of znodes after each step, the violation. Equal arguments give
// equal pages. The middle of a very long execution is left out, except for its changes of the tree.
[[nodiscard]] std::string timeline_page(const Chronicle& chronicle, const TimelineCaption& caption);

}  // namespace lockstep::search
