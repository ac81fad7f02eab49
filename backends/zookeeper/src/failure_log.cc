#include "failure_log.h"

#include <algorithm>

namespace lockstep::zookeeper {

namespace {

// Enough for a reader.
constexpr std::size_t kMostReasons = 8;

}  // namespace

bool FailureLog::note(std::string_view subject, std::string_view reason) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(
      reasons_, subject, [](const auto& entry) { return std::string_view(entry.first); });
  const bool repeated = known != reasons_.end() && known->second == reason;
  if (known != reasons_.end()) reasons_.erase(known);
  if (reasons_.size() == kMostReasons) reasons_.erase(reasons_.begin());
  reasons_.emplace_back(subject, reason);
  return !repeated;
}

void FailureLog::clear() {
  const std::lock_guard lock(mutex_);
  reasons_.clear();
}

std::string FailureLog::text() const {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [subject, reason] : reasons_) {
    if (!text.empty()) text += "; ";
    text += subject + ": " + reason;
  }
  return text;
}

}  // namespace lockstep::zookeeper
