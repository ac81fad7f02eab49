#include "lockstep/internal/watch_registry.h"

#include <array>
#include <cstddef>
#include <tuple>

#include "lockstep/internal/check.h"
#include "lockstep/internal/client_table.h"

namespace lockstep::internal {

namespace {

// The bytes of a path in one table: a length and the path.
std::size_t slot_of(const Path& path) { return sizeof(std::int32_t) + path.view().size(); }

}  // namespace

WatchTable table_of(OpCode read, std::optional<Error> error) noexcept {
  if (!error) return read == OpCode::kGetChildren ? WatchTable::kChild : WatchTable::kNode;
  const bool waits_for_creation = *error == Error::kNoNode && read == OpCode::kExists;
  return waits_for_creation ? WatchTable::kExist : WatchTable::kNone;
}

void WatchEntry::append(WatchState& watch) noexcept {
  watch.entry_ = this;
  watch.next_ = nullptr;
  watch.previous_ = last;
  (last ? last->next_ : first) = &watch;
  last = &watch;
}

void WatchEntry::erase(WatchState& watch) noexcept {
  watch.entry_ = nullptr;
  (watch.previous_ ? watch.previous_->next_ : first) = watch.next_;
  (watch.next_ ? watch.next_->previous_ : last) = watch.previous_;
}

WatchState* WatchEntry::take_all() noexcept {
  for (WatchState* watch = first; watch; watch = watch->next_) watch->entry_ = nullptr;
  last = nullptr;
  return std::exchange(first, nullptr);
}

// A request that is destroyed later may keep a watch alive after its session's registry is gone.
WatchRegistry::~WatchRegistry() {
  for (auto& [key, entry] : entries_) static_cast<void>(entry.take_all());
}

WatchEntry& WatchRegistry::entry_for(const Path& path, WatchType type) {
  const Sought sought(path, type);
  const auto after = entries_.lower_bound(sought);
  if (after != entries_.end() && !Order()(sought, after->first)) return after->second;
  const auto made = entries_.emplace_hint(after, std::piecewise_construct,
                                          std::forward_as_tuple(path, type), std::tie(*this));
  made->second.key = &made->first;
  return made->second;
}

void WatchRegistry::asked(OpCode read, const Path& path) {
  WatchEntry& entry = entry_for(path, type_of(read));
  ++entry.asking_for(read);
  settle(entry);
}

void WatchRegistry::answered(OpCode read, const Path& path) {
  const auto found = entries_.find(Sought(path, type_of(read)));
  check(found != entries_.end(), "a read is answered that was never sent");
  --found->second.asking_for(read);
  settle(found->second);
}

void WatchRegistry::add(WatchTable table, const Path& path, WatchState& watch) {
  const bool of_children = table == WatchTable::kChild;
  WatchEntry& entry = entry_for(path, of_children ? WatchType::kChild : WatchType::kData);
  watch.number_ = ++registered_;
  std::uint64_t& since = table == WatchTable::kExist ? entry.exist : entry.node;
  if (since == 0) since = watch.number_;
  entry.no_watcher = false;
  entry.append(watch);
  settle(entry);
}

WatchEntry* WatchRegistry::entry_of(const Path& path, WatchType type) {
  const auto found = entries_.find(Sought(path, type));
  return found == entries_.end() ? nullptr : &found->second;
}

// Waiters run later, so all watches live until the end of the loop.
template <class Resolve>
void WatchRegistry::empty(WatchEntry* data, WatchEntry* child, Resolve resolve) {
  while (WatchState* const watch = earliest(data, child)) {
    watch->entry_->erase(*watch);
    resolve(*watch);
  }
  for (WatchEntry* const entry : {data, child}) {
    if (!entry) continue;
    entry->node = 0;
    entry->exist = 0;
    settle(*entry);
  }
}

WatchState* WatchRegistry::earliest(const WatchEntry* data, const WatchEntry* child) noexcept {
  WatchState* const of_data = data ? data->first : nullptr;
  WatchState* const of_child = child ? child->first : nullptr;
  if (!of_data || !of_child) return of_data ? of_data : of_child;
  return of_data->number_ < of_child->number_ ? of_data : of_child;
}

void WatchRegistry::fire(EventType type, const Path& path, const Path& shown) {
  const bool of_children = type == EventType::kChild || type == EventType::kDeleted;
  empty(type == EventType::kChild ? nullptr : entry_of(path, WatchType::kData),
        of_children ? entry_of(path, WatchType::kChild) : nullptr,
        [&](WatchState& watch) { watch.resolve(WatchEvent(type, shown)); });
}

void WatchRegistry::removed(const Path& path, WatchType type) {
  empty(type == WatchType::kChild ? nullptr : entry_of(path, WatchType::kData),
        type == WatchType::kData ? nullptr : entry_of(path, WatchType::kChild),
        [](WatchState& watch) { watch.resolve(failure(Error::kNoWatcher)); });
}

bool WatchRegistry::take_back(WatchState& watch, bool alone) {
  WatchEntry* const entry = watch.entry_;
  if (!entry || &entry->registry != this) return false;
  entry->erase(watch);
  if (alone) {
    entry->node = 0;
    entry->exist = 0;
  }
  settle(*entry);
  watch.resolve(failure(Error::kNoWatcher));
  return true;
}

void WatchRegistry::end(Error error) {
  WatchState* next = take_all();
  first_abandoned_ = nullptr;
  last_abandoned_ = nullptr;
  entries_.clear();
  bytes_ = 0;
  abandoned_bytes_ = 0;
  while (WatchState* const watch = next) {
    next = watch->next_;
    watch->resolve(failure(error));
  }
}

// Sorts by merging: `runs[i]` is null, or holds the watches of 2^i entries.
WatchState* WatchRegistry::take_all() noexcept {
  std::array<WatchState*, 64> runs{};
  for (auto& [key, entry] : entries_) {
    WatchState* run = entry.take_all();
    std::size_t i = 0;
    for (; runs[i]; ++i) run = merged(std::exchange(runs[i], nullptr), run);
    runs[i] = run;
  }
  WatchState* all = nullptr;
  for (WatchState* const run : runs) all = merged(all, run);
  return all;
}

WatchState* WatchRegistry::merged(WatchState* one, WatchState* other) noexcept {
  WatchState* first = nullptr;
  for (WatchState** end = &first;; end = &(*end)->next_) {
    if (!one || !other) {
      *end = one ? one : other;
      return first;
    }
    WatchState*& earlier = one->number_ < other->number_ ? one : other;
    *end = std::exchange(earlier, earlier->next_);
  }
}

std::optional<WatchRegistry::Place> WatchRegistry::find(const WatchState* watch) const {
  if (!watch || !watch->entry_ || &watch->entry_->registry != this) return std::nullopt;
  const WatchEntry& entry = *watch->entry_;
  return Place(entry.key->path, entry.key->type,
               entry.first == entry.last && !entry.is_asked_for());
}

bool WatchRegistry::complete(Request& request) const {
  const std::optional<Place> place = find(request.watch.get());
  if (!place) return false;
  request.path = place->path;
  request.watch_type = place->type;
  return true;
}

std::vector<Path> WatchRegistry::watched() const {
  std::map<std::uint64_t, Path> found;
  for (const auto& [key, entry] : entries_) {
    for (const WatchState* watch = entry.first; watch; watch = watch->next_) {
      found.emplace(watch->number_, key.path);
    }
  }
  std::vector<Path> paths;
  for (const auto& [number, path] : found) paths.push_back(path);
  return paths;
}

std::vector<Path> WatchRegistry::paths_in(WatchTable table) const {
  std::map<std::uint64_t, Path> found;
  for (const auto& [key, entry] : entries_) {
    if ((key.type == WatchType::kChild) != (table == WatchTable::kChild)) continue;
    const std::uint64_t since = table == WatchTable::kExist ? entry.exist : entry.node;
    if (since != 0) found.emplace(since, key.path);
  }
  std::vector<Path> paths;
  for (const auto& [since, path] : found) paths.push_back(path);
  return in_table_order(std::move(paths));
}

void WatchRegistry::forget(WatchState& watch) noexcept {
  WatchEntry& entry = *watch.entry_;
  entry.erase(watch);
  const bool was_empty = !first_abandoned_;
  settle(entry);
  if (owner_ && was_empty && first_abandoned_) owner_->abandoned();
}

std::optional<WatchRegistry::Abandoned> WatchRegistry::next_abandoned() {
  while (first_abandoned_) {
    WatchEntry& entry = *first_abandoned_;
    first_abandoned_ = std::exchange(entry.next_abandoned, nullptr);
    if (!first_abandoned_) last_abandoned_ = nullptr;
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
  const auto found = entries_.find(Sought(path, type));
  check(found != entries_.end(), "an entry disappears while it is being removed");
  WatchEntry& entry = found->second;
  entry.removing = false;
  entry.no_watcher = no_watcher;
  settle(entry);
}

void WatchRegistry::reconnected() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    WatchEntry& next = (entry++)->second;
    next.no_watcher = false;
    settle(next);
  }
}

std::size_t WatchRegistry::bytes_added_by(OpCode read, const Path& path) const {
  const auto found = entries_.find(Sought(path, type_of(read)));
  return found != entries_.end() && found->second.takes_slot(read) ? 0 : slot_of(path);
}

void WatchRegistry::settle(WatchEntry& entry) noexcept {
  if (owner_) account_for(entry);
  if (entry.is_over()) entries_.erase(entries_.find(*entry.key));
}

void WatchRegistry::account_for(WatchEntry& entry) noexcept {
  const bool removable = entry.is_abandoned() && !entry.removing && !entry.no_watcher;
  if (removable && !entry.queued) {
    (last_abandoned_ ? last_abandoned_->next_abandoned : first_abandoned_) = &entry;
    last_abandoned_ = &entry;
    entry.queued = true;
  }
  const std::size_t slot = slot_of(entry.key->path);
  std::size_t counted = 0;
  if (entry.takes_slot(OpCode::kGetData)) counted += slot;
  if (entry.takes_slot(OpCode::kExists)) counted += slot;
  bytes_ += counted - std::exchange(entry.counted, counted);
  const std::size_t abandoned = removable ? counted : 0;
  abandoned_bytes_ += abandoned - std::exchange(entry.counted_as_abandoned, abandoned);
}

}  // namespace lockstep::internal
