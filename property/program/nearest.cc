#include "nearest.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace lockstep::program {

namespace {

constexpr std::size_t kMostNames = 4;
constexpr std::size_t kShortestPart = 3;

// The number of letters that are missing, too many, wrong or swapped with a neighbour.
std::size_t slips(std::string_view typed, std::string_view name) {
  // Row i, column j: the slips from the first i letters to the first j. Three rows are enough.
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(name.size() + 1);
  for (std::size_t j = 0; j < last.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= typed.size(); ++i) {
    std::vector<std::size_t> row(name.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const std::size_t wrong = last[j - 1] + (typed[i - 1] == name[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, wrong});
      const bool swapped =
          i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last.back();
}

std::vector<std::string_view> first_of(std::vector<std::string_view> names) {
  names.resize(std::min(names.size(), kMostNames));
  return names;
}

std::vector<std::string_view> near_by_slips(std::string_view word,
                                            std::span<const std::string_view> names) {
  const std::size_t most = std::max<std::size_t>(1, word.size() / 4);
  std::multimap<std::size_t, std::string_view> near;  // Keeps the order of equal distances.
  for (const std::string_view name : names) {
    const std::size_t distance = slips(word, name);
    if (distance <= most && distance < word.size()) near.emplace(distance, name);
  }
  std::vector<std::string_view> sorted;
  sorted.reserve(near.size());
  for (const auto& [distance, name] : near) sorted.push_back(name);
  return sorted;
}

}  // namespace

std::vector<std::string_view> nearest(std::string_view word,
                                      std::span<const std::string_view> names) {
  std::vector<std::string_view> found;
  if (word.empty()) return found;
  std::ranges::copy_if(names, std::back_inserter(found),
                       [&](std::string_view name) { return name.starts_with(word); });
  if (found.empty()) found = near_by_slips(word, names);
  if (found.empty() && word.size() >= kShortestPart) {
    std::ranges::copy_if(names, std::back_inserter(found),
                         [&](std::string_view name) { return name.contains(word); });
  }
  return first_of(std::move(found));
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
  const std::vector<std::string_view> found = nearest(word, names);
  if (found.empty()) return "";
  std::string text = "; did you mean ";
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) text += i + 1 < found.size() ? ", " : " or ";
    text += '\'' + std::string(found[i]) + '\'';
  }
  return text + '?';
}

}  // namespace lockstep::program
