#include "failure_log.h"

#include <algorithm>
#include <ranges>

namespace lockstep::zookeeper {

namespace {

// More than an ensemble has addresses: a subject that is forgotten is news each time it fails.
constexpr std::size_t kMostSubjects = 64;
// Enough for a reader.
constexpr std::size_t kMostNamed = 32;

}  // namespace

bool FailureLog::note(std::string_view subject, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  const auto known = find(subject);
  const bool repeated = known != reasons_.end() && known->second == reason;
  if (known != reasons_.end()) reasons_.erase(known);
  if (reasons_.size() == kMostSubjects) reasons_.erase(reasons_.begin());
  reasons_.emplace_back(subject, reason);
  return !repeated;
}

void FailureLog::wait_for(std::string_view subject, std::string_view state) {
  const std::lock_guard lock(mutex_);
  if (find(subject) != reasons_.end() || reasons_.size() == kMostSubjects) return;
  reasons_.emplace_back(subject, state);
}

void FailureLog::forget(std::string_view subject) {
  const std::lock_guard lock(mutex_);
  const auto known = find(subject);
  if (known != reasons_.end()) reasons_.erase(known);
}

void FailureLog::clear() {
  const std::lock_guard lock(mutex_);
  reasons_.clear();
}

FailureLog::Reasons::iterator FailureLog::find(std::string_view subject) {
  return std::ranges::find(reasons_, subject,
                           [](const auto& entry) { return std::string_view(entry.first); });
}

std::string FailureLog::text() const {
  const std::lock_guard lock(mutex_);
  const std::size_t others = reasons_.size() - std::min(reasons_.size(), kMostNamed);
  std::string text;
  if (others != 0) text = std::to_string(others) + (others == 1 ? " other" : " others");
  for (const auto& [subject, reason] : reasons_ | std::views::drop(others)) {
    if (!text.empty()) text += "; ";
    text += subject + ": " + reason;
  }
  return text;
}

}  // namespace lockstep::zookeeper
