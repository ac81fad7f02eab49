#include "differential/transcript.h"

#include <algorithm>

namespace lockstep::differential {

std::size_t Transcript::add_lane(std::string title) {
  titles_.push_back(std::move(title));
  lines_.emplace_back();
  return titles_.size() - 1;
}

void Transcript::add(std::size_t lane, std::string text) {
  lines_[lane].push_back(Line{std::move(text), ""});
}

void Transcript::add_event(std::size_t lane, const std::string& watch, std::string event) {
  std::string text = watch + ": " + event;
  std::string run = disorder_ == 0 ? std::move(event) : std::to_string(disorder_);
  lines_[lane].push_back(Line{std::move(text), std::move(run)});
}

Log Transcript::take_log() {
  Log log;
  for (std::size_t lane = 0; lane < titles_.size(); ++lane) {
    std::vector<Line>& lines = lines_[lane];
    for (auto first = lines.begin(); first != lines.end();) {
      const auto last = std::find_if(first + 1, lines.end(), [first](const Line& line) {
        return first->run.empty() || line.run != first->run;
      });
      std::sort(first, last, [](const Line& a, const Line& b) { return a.text < b.text; });
      first = last;
    }
    Lane& into = log.emplace_back();
    into.title = titles_[lane];
    for (Line& line : lines) into.lines.push_back(std::move(line.text));
  }
  return log;
}

}  // namespace lockstep::differential
