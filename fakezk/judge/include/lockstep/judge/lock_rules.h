#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "lockstep/sequence.h"

namespace lockstep::judge {

// The znodes that contend for a lock, and those that may hold it at the same time: the oracles need
// to know nothing else about a recipe.
class LockRules {
 public:
  // The kinds of contenders in a queue, distinguished by their marks.
  LockRules(std::initializer_list<Mark> queue) : marks(queue) {}

  std::vector<Mark> marks;
  // The leases of a semaphore: this many children with that mark may be held together.
  std::string_view lease;
  std::uint32_t capacity = 0;
  // A contender of that name, without a number: its creator holds, and there is no order.
  std::string_view single;

  // Whether only one contender can hold at a time.
  [[nodiscard]] bool exclusive() const {
    return lease.empty() && std::ranges::all_of(marks, [](const Mark& mark) {
             return mark.share == Share::kExclusive;
           });
  }
};

// The rules of the recipes.
[[nodiscard]] inline LockRules mutex_rules() { return {Mark{kLockMark, Share::kExclusive}}; }
[[nodiscard]] inline LockRules read_write_rules() {
  return {Mark{kReadMark, Share::kShared}, Mark{kWriteMark, Share::kExclusive}};
}
[[nodiscard]] inline LockRules semaphore_rules(std::uint32_t capacity) {
  LockRules rules = mutex_rules();
  rules.lease = kLeaseMark;
  rules.capacity = capacity;
  return rules;
}
[[nodiscard]] inline LockRules single_rules(std::string_view name) {
  LockRules rules = {};
  rules.single = name;
  return rules;
}

}  // namespace lockstep::judge
