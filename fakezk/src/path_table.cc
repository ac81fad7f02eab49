#include "lockstep/fakezk/path_table.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "path_rules.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kNamesTogether = 1 << 12;  // Bytes.

// "%010d", as the server formats it.
std::string_view format_sequence(std::int32_t number, std::array<char, 16>& buffer) {
  const bool negative = number < 0;
  const std::int64_t wide = number;
  std::array<char, 16> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), negative ? -wide : wide).ptr;
  const auto length = static_cast<std::size_t>(end - digits.data());
  const std::size_t width = negative ? 9 : 10;
  std::size_t used = 0;
  if (negative) buffer[used++] = '-';
  for (std::size_t pad = length; pad < width; ++pad) buffer[used++] = '0';
  for (std::size_t i = 0; i < length; ++i) buffer[used++] = digits[i];
  return {buffer.data(), used};
}

// Most often it is the very text that stands in the table.
bool same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.data() == b.data() || a == b);
}

}  // namespace

inline std::size_t PathTable::slot_of(std::string_view path, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != kEmpty) {
    const Text& known = entries_[slots_[slot]].text;
    if (known.hash() == hash && same(known.view(), path)) break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

PathTable::PathTable() : slots_(64, kEmpty) {
  for (const char* const path : {"/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"}) {
    intern(std::string_view(path));
  }
}

PathId PathTable::intern(const Text& path) {
  const std::size_t slot = slot_of(path.view(), path.hash());
  if (slots_[slot] != kEmpty) return slots_[slot];
  return add(path, slot);
}

std::optional<PathId> PathTable::find(const Text& path) const {
  const PathId id = slots_[slot_of(path.view(), path.hash())];
  if (id == kEmpty) return std::nullopt;
  return id;
}

PathId PathTable::intern_sequential(const Text& prefix, std::int32_t number) {
  std::array<char, 16> buffer{};
  scratch_.assign(prefix.view());
  scratch_.append(format_sequence(number, buffer));
  const std::size_t slot = slot_of(scratch_, text_hash(scratch_));
  if (slots_[slot] != kEmpty) return slots_[slot];
  return add(Text(scratch_), slot);
}

PathId PathTable::add(const Text& path, std::size_t slot) {
  const auto id = static_cast<PathId>(entries_.size());
  const std::string_view view = path.view();
  const std::size_t slash = view.rfind('/');
  slots_[slot] = id;
  const std::string_view name = keep(view.substr(slash + 1));
  entries_.push_back(Entry{path, name, kRoot, server_accepts(view)});
  if (2 * entries_.size() > slots_.size()) grow();
  if (slash != 0 && slash != std::string_view::npos) {
    const PathId parent = intern(view.substr(0, slash));
    entries_[id].parent = parent;
  }
  return id;
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
  for (PathId id = 0; id < entries_.size(); ++id) {
    const Text& text = entries_[id].text;
    slots_[slot_of(text.view(), text.hash())] = id;
  }
}

}  // namespace lockstep::fakezk
