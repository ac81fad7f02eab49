#include "handle_table.h"

#include <pthread.h>

namespace lockstep::zookeeper {

HandleTable& HandleTable::instance() {
  static HandleTable* const table = new HandleTable;
  return *table;
}

HandleTable::HandleTable() { pthread_atfork(&before_fork, &after_fork, &after_fork); }

std::uint64_t HandleTable::add(Handle& handle) {
  constexpr std::uint64_t kKeys = 1u << 20;
  const std::lock_guard lock(mutex_);
  do {
    last_key_ = (last_key_ + 1) % kKeys;
  } while (!handles_.try_emplace(last_key_, &handle).second);
  return last_key_;
}

void HandleTable::remove(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  handles_.erase(key);
}

Handle* HandleTable::find(std::uint64_t key) {
  const std::lock_guard lock(mutex_);
  const auto found = handles_.find(key);
  return found == handles_.end() ? nullptr : found->second;
}

}  // namespace lockstep::zookeeper
