#include "lockstep/fakezk/path_table.h"

#include <algorithm>
#include <array>

#include "lockstep/internal/path_rules.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kNamesTogether = 1 << 12;  // in bytes

// "%010d", as the server formats it.
std::string_view format_sequence(std::int32_t number, std::array<char, 11>& buffer) {
  buffer.fill('0');
  const bool negative = number < 0;
  const std::int64_t wide = number;
  std::size_t first = buffer.size();
  for (std::int64_t left = negative ? -wide : wide; left != 0; left /= 10) {
    buffer[--first] = static_cast<char>('0' + left % 10);
  }
  const std::size_t width = negative ? 9 : 10;
  first = std::min(first, buffer.size() - width);
  if (negative) buffer[--first] = '-';
  return {buffer.data() + first, buffer.size() - first};
}

}  // namespace

PathTable::PathTable() : slots_(64, kEmpty), last_slot_(slots_.size() - 1) {
  for (const char* const path : {"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"}) {
    intern(std::string_view(path));
  }
}

PathId PathTable::append_sequence(PathId prefix, std::int32_t number) {
  std::array<char, 11> buffer;
  scratch_.assign(text(prefix).view());
  scratch_.append(format_sequence(number, buffer));
  const std::uint64_t hash = text_hash(scratch_);
  const std::size_t slot = slot_of(hash, [this, hash](const Text& known) {
    return known.hash() == hash && known.view() == scratch_;
  });
  if (slots_[slot] != kEmpty) return slots_[slot];
  return add(Text(scratch_), slot);
}

PathId PathTable::add(const Text& path, std::size_t slot) {
  const auto id = static_cast<PathId>(entries_.size());
  const std::string_view view = path.view();
  const std::size_t slash = view.rfind('/');
  slots_[slot] = id;
  longest_ = std::max(longest_, view.size());
  const std::string_view name = keep(view.substr(slash + 1));
  const bool is_deep = slash != 0 && slash != std::string_view::npos;
  entries_.push_back(Entry{path, name, is_deep ? kEmpty : kRoot, server_accepts(view)});
  if (2 * entries_.size() > slots_.size()) grow();
  return id;
}

PathId PathTable::intern_parent(PathId id) {
  const std::string_view path = entries_[id].text.view();
  const PathId parent = intern(path.substr(0, path.rfind('/')));
  entries_[id].parent = parent;
  return parent;
}

std::string_view PathTable::keep(std::string_view name) {
  if (name.size() > left_) {
    left_ = std::max(kNamesTogether, name.size());
    names_.push_back(std::make_unique_for_overwrite<char[]>(left_));
    end_of_names_ = names_.back().get();
  }
  char* const kept = end_of_names_;
  std::ranges::copy(name, kept);
  end_of_names_ += name.size();
  left_ -= name.size();
  return {kept, name.size()};
}

void PathTable::grow() {
  slots_.assign(2 * slots_.size(), kEmpty);
  last_slot_ = slots_.size() - 1;
  const auto all_are_different = [](const Text&) { return false; };
  for (PathId id = 0; id < entries_.size(); ++id) {
    slots_[slot_of(entries_[id].text.hash(), all_are_different)] = id;
  }
}

}  // namespace lockstep::fakezk
