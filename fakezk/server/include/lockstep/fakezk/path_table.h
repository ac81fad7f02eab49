#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/path.h"
#include "lockstep/text.h"

namespace lockstep::fakezk {

// The number of an interned path. Numbers depend on the order of interning, and thus on earlier
// executions in the same process: they never enter a trace hash and never order anything.
using PathId = std::uint32_t;

// All paths of a simulated world, each once. A lookup costs one probe of an open hash table, keyed
// by the hash that Text carries. The table is never iterated over.
class PathTable {
 public:
  // The predefined znodes of every server have fixed numbers.
  static constexpr PathId kRoot = 0;
  static constexpr PathId kZookeeper = 1;
  static constexpr PathId kConfig = 2;
  static constexpr PathId kQuota = 3;

  PathTable();
  PathTable(const PathTable&) = delete;
  PathTable& operator=(const PathTable&) = delete;

  // Malformed paths are interned as well; see valid().
  [[gnu::always_inline]] PathId intern(const Text& path) {
    const std::size_t slot = slot_of(path);
    const PathId id = slots_[slot];
    return id != kEmpty ? id : add(path, slot);
  }
  PathId intern(std::string_view path) { return intern(Text(path)); }
  // `prefix` with a sequence number appended as ZooKeeper does: ten digits, zero-padded.
  PathId intern_sequential(PathId prefix, std::int32_t number) {
    Numbered& recent = recent_[(prefix * 37 + static_cast<std::uint32_t>(number)) % recent_.size()];
    if (recent.prefix != prefix || recent.number != number) {
      recent = {prefix, number, append_sequence(prefix, number)};
    }
    return recent.path;
  }
  PathId intern_sequential(const Text& prefix, std::int32_t number) {
    return intern_sequential(intern(prefix), number);
  }

  // Looks a path up without interning it.
  [[nodiscard]] std::optional<PathId> find(const Text& path) const {
    const PathId id = slots_[slot_of(path)];
    return id != kEmpty ? std::optional(id) : std::nullopt;
  }

  [[nodiscard]] const Text& text(PathId id) const { return entries_[id].text; }
  [[nodiscard]] Path path(PathId id) const { return Path(entries_[id].text); }
  // Interned when somebody asks: with all its ancestors, a path of a hundred thousand names that
  // nobody creates would take gigabytes.
  [[nodiscard]] PathId parent(PathId id) {
    const PathId known = entries_[id].parent;
    return known != kEmpty ? known : intern_parent(id);
  }
  // The last component. Names of consecutive paths are adjacent in memory: a list of thousands is
  // read sequentially.
  [[nodiscard]] std::string_view name(PathId id) const { return entries_[id].name; }
  // True if a server accepts it as the path of a znode (PathUtils.validatePath).
  [[nodiscard]] bool valid(PathId id) const { return entries_[id].valid; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  // The length of the longest path in bytes.
  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

 private:
  struct Entry {
    Text text;
    std::string_view name;
    PathId parent;  // kEmpty until somebody has asked.
    bool valid;
  };
  static constexpr PathId kEmpty = static_cast<PathId>(-1);
  // The path of a prefix and a number, cached because executions create mostly the same paths.
  struct Numbered {
    PathId prefix = kEmpty;
    std::int32_t number = 0;
    PathId path = kEmpty;
  };

  // The slot of the path with this hash that is the `same`, or where it would be inserted. Mostly
  // it is the very same text object, which a comparison notices at once.
  template <class Same>
  [[nodiscard]] std::size_t slot_of(std::uint64_t hash, Same same) const {
    std::size_t slot = hash & last_slot_;
    while (slots_[slot] != kEmpty && !same(entries_[slots_[slot]].text)) {
      slot = (slot + 1) & last_slot_;
    }
    return slot;
  }
  [[nodiscard]] std::size_t slot_of(const Text& path) const {
    return slot_of(path.hash(), [&path](const Text& known) { return known == path; });
  }
  PathId append_sequence(PathId prefix, std::int32_t number);
  PathId add(const Text& path, std::size_t slot);
  PathId intern_parent(PathId id);
  std::string_view keep(std::string_view name);
  void grow();

  std::vector<Entry> entries_;
  std::vector<PathId> slots_;  // a power of two of them
  std::size_t last_slot_;
  std::vector<std::unique_ptr<char[]>> names_;
  char* end_of_names_ = nullptr;  // In the last block, with room for `left_` bytes more.
  std::size_t left_ = 0;
  std::size_t longest_ = 0;
  std::string scratch_;
  std::array<Numbered, 256> recent_;  // By a hash of both; the latest entry wins.
};

}  // namespace lockstep::fakezk
