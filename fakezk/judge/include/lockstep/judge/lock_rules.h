#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "lockstep/clock.h"
#include "lockstep/sequence.h"

namespace lockstep::judge {

// The znodes that contend for a lock, and those that may hold it at the same time: the oracles need
// to know nothing else about a recipe.
class LockRules {
 public:
  // The kinds of contenders in a queue, distinguished by their marks.
  LockRules(std::initializer_list<Mark> queue) : marks(queue) {}

  std::vector<Mark> marks;
  // This many contenders at the front of a queue hold together: usually the first one alone.
  std::uint32_t holders = 1;
  // The leases of a semaphore: this many children with that mark may be held together.
  std::string_view lease;
  std::uint32_t capacity = 0;
  // If the capacity varies, the least that it can be; 0: it does not.
  std::uint32_t least_capacity = 0;
  // A contender of that name, without a number: its creator holds, and there is no order.
  std::string_view single;

  // How long a contender may be kept from a lock although its turn has come, while nothing but time
  // passes: until its client has reconnected or repeated a request (L1).
  Duration idle_allowance = std::chrono::seconds(30);

  [[nodiscard]] std::uint32_t sure_capacity() const {
    return least_capacity == 0 ? capacity : least_capacity;
  }
  // Whether only one contender can hold at a time.
  [[nodiscard]] bool exclusive() const {
    return lease.empty() && holders == 1 && std::ranges::all_of(marks, [](const Mark& mark) {
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
// The first `holders` of a queue hold together, as in a semaphore without leases.
[[nodiscard]] inline LockRules first_of_queue_rules(std::uint32_t holders) {
  LockRules rules = mutex_rules();
  rules.holders = holders;
  return rules;
}
[[nodiscard]] inline LockRules single_rules(std::string_view name) {
  LockRules rules = {};
  rules.single = name;
  return rules;
}

}  // namespace lockstep::judge
