#include "watch_registry.h"

#include <iterator>
#include <utility>

#include "lockstep/internal/check.h"

namespace lockstep::zookeeper {

void WatchRegistry::Registration::forgotten(internal::WatchState&) noexcept {
  entry.registry.forget(*this);
}

WatchRegistry::Key WatchRegistry::key_of(OpCode read, const Path& path) {
  return {path, read == OpCode::kGetChildren ? WatchType::kChild : WatchType::kData};
}

WatchRegistry::Registration* WatchRegistry::registration_of(
    const internal::WatchState* watch) const {
  if (!watch || !watch->keeper()) return nullptr;
  // Keepers are registrations of some session: no other code sets any.
  auto* const registration = static_cast<Registration*>(watch->keeper());
  return &registration->entry.registry == this ? registration : nullptr;
}

void WatchRegistry::asked(OpCode read, const Path& path) {
  const auto [found, is_new] = entries_.try_emplace(key_of(read, path), *this);
  Entry& entry = found->second;
  if (is_new) entry.key = &found->first;
  ++entry.asking_for(read);
  settle(entry);
}

void WatchRegistry::answered(OpCode read, const Path& path, WatchTable table,
                             internal::WatchState& watch) {
  const auto found = entries_.find(key_of(read, path));
  internal::check(found != entries_.end(), "a read is answered that was not asked for");
  Entry& entry = found->second;
  --entry.asking_for(read);
  if (table != WatchTable::kNone) {
    (table == WatchTable::kExist ? entry.exist : entry.node) = true;
    entry.no_watcher = false;
  }
  if (table != WatchTable::kNone && !watch.forgotten()) {
    Registration& registration = entry.watches.emplace_back(entry, watch);
    registration.number = ++registered_;
    registration.self = std::prev(entry.watches.end());
    watch.set_keeper(&registration);
  } else {
    watch.release();
  }
  settle(entry);
}

void WatchRegistry::take(const Path& path, WatchType type, ByNumber& taken) {
  const auto found = entries_.find(Key(path, type));
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  take_watches(entry, taken);
  entry.watches.clear();
  entry.node = false;
  entry.exist = false;
  settle(entry);
}

void WatchRegistry::take_watches(Entry& entry, ByNumber& taken) {
  for (Registration& registration : entry.watches) {
    registration.watch.set_keeper(nullptr);
    taken.emplace(registration.number, &registration.watch);
  }
}

void WatchRegistry::append(const ByNumber& taken, std::vector<internal::WatchState*>& all) {
  for (const auto& [number, watch] : taken) all.push_back(watch);
}

std::vector<internal::WatchState*> WatchRegistry::take_fired(EventType type, const Path& path) {
  ByNumber data;
  ByNumber child;
  if (type != EventType::kChild) take(path, WatchType::kData, data);
  if (type == EventType::kChild || type == EventType::kDeleted) {
    take(path, WatchType::kChild, child);
  }
  std::vector<internal::WatchState*> taken;
  append(data, taken);
  append(child, taken);
  return taken;
}

std::vector<internal::WatchState*> WatchRegistry::take_removed(const Path& path, WatchType type) {
  ByNumber both;
  if (type != WatchType::kChild) take(path, WatchType::kData, both);
  if (type != WatchType::kData) take(path, WatchType::kChild, both);
  std::vector<internal::WatchState*> taken;
  append(both, taken);
  return taken;
}

std::vector<internal::WatchState*> WatchRegistry::take_all() {
  ByNumber all;
  for (auto& [key, entry] : entries_) take_watches(entry, all);
  std::vector<internal::WatchState*> taken;
  append(all, taken);
  abandoned_.clear();
  entries_.clear();
  bytes_ = 0;
  abandoned_bytes_ = 0;
  return taken;
}

std::optional<WatchRegistry::Place> WatchRegistry::find(const internal::WatchState* watch) const {
  const Registration* const registration = registration_of(watch);
  if (!registration) return std::nullopt;
  const Entry& entry = registration->entry;
  return Place(entry.key->path, entry.key->type,
               entry.watches.size() == 1 && !entry.is_asked_for());
}

bool WatchRegistry::take_back(internal::WatchState& watch, bool alone) {
  Registration* const registration = registration_of(&watch);
  if (!registration) return false;
  Entry& entry = registration->entry;
  watch.set_keeper(nullptr);
  entry.watches.erase(registration->self);
  if (alone) {
    entry.node = false;
    entry.exist = false;
  }
  settle(entry);
  return true;
}

void WatchRegistry::forget(Registration& registration) noexcept {
  Entry& entry = registration.entry;
  internal::WatchState& watch = registration.watch;
  watch.set_keeper(nullptr);
  entry.watches.erase(registration.self);
  watch.release();
  const bool was_empty = abandoned_.empty();
  settle(entry);
  if (was_empty && !abandoned_.empty()) owner_.abandoned();
}

std::optional<WatchRegistry::Abandoned> WatchRegistry::next_abandoned() {
  while (!abandoned_.empty()) {
    Entry& entry = *abandoned_.front();
    abandoned_.pop_front();
    entry.queued = false;
    const bool can_be_removed = entry.is_abandoned() && !entry.removing && !entry.no_watcher;
    if (can_be_removed) entry.removing = true;
    std::optional<Abandoned> next;
    if (can_be_removed) next.emplace(entry.key->path, entry.key->type);
    settle(entry);
    if (next) return next;
  }
  return std::nullopt;
}

void WatchRegistry::removal_ended(const Path& path, WatchType type, bool no_watcher) {
  const auto found = entries_.find(Key(path, type));
  internal::check(found != entries_.end(), "an entry goes while it is being removed");
  Entry& entry = found->second;
  entry.removing = false;
  entry.no_watcher = no_watcher;
  settle(entry);
}

void WatchRegistry::reconnected() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    Entry& next = (entry++)->second;
    next.no_watcher = false;
    settle(next);
  }
}

std::size_t WatchRegistry::bytes_added_by(OpCode read, const Path& path) const {
  const auto found = entries_.find(key_of(read, path));
  return found != entries_.end() && found->second.takes_slot(read) ? 0 : slot_of(path);
}

void WatchRegistry::settle(Entry& entry) {
  const bool removable = entry.is_abandoned() && !entry.removing && !entry.no_watcher;
  if (removable && !entry.queued) {
    abandoned_.push_back(&entry);
    entry.queued = true;
  }
  const std::size_t slot = slot_of(entry.key->path);
  std::size_t counted = 0;
  if (entry.takes_slot(OpCode::kGetData)) counted += slot;
  if (entry.takes_slot(OpCode::kExists)) counted += slot;
  bytes_ += counted - std::exchange(entry.counted, counted);
  const std::size_t abandoned = removable ? counted : 0;
  abandoned_bytes_ += abandoned - std::exchange(entry.counted_as_abandoned, abandoned);
  if (entry.is_over()) entries_.erase(entries_.find(*entry.key));
}

}  // namespace lockstep::zookeeper
