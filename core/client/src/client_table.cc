#include "lockstep/internal/client_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

namespace lockstep::internal {

namespace {

// Sizes of the C client's table, which grows when more than 65 % of its slots would be taken
// (hashtable.c, primes).
constexpr std::array<std::uint32_t, 26> kSlots = {
    53,       97,       193,      389,       769,       1543,      3079,      6151,      12289,
    24593,    49157,    98317,    196613,    393241,    786433,    1572869,   3145739,   6291469,
    12582917, 25165843, 50331653, 100663319, 201326611, 402653189, 805306457, 1610612741};

std::uint32_t slots_for(std::size_t paths) {
  const auto fits = [paths](std::uint32_t slots) {
    return paths * std::size_t{100} <= std::size_t{slots} * 65 + 99;  // Rounded up.
  };
  const auto* const found = std::ranges::find_if(kSlots, fits);
  return found == kSlots.end() ? kSlots.back() : *found;
}

// The C client's string_hash_djb2 (zk_hashtable.c) and hash (hashtable.c).
std::uint32_t hash(std::string_view path) {
  std::uint32_t hash = 5381;
  for (const char c : path)
    hash = hash * 33 + static_cast<std::uint32_t>(static_cast<signed char>(c));
  hash += ~(hash << 9);
  hash ^= (hash >> 14) | (hash << 18);
  hash += hash << 4;
  hash ^= (hash >> 10) | (hash << 22);
  return hash;
}

}  // namespace

// A chain lists its newest path first.
std::vector<Path> in_table_order(std::vector<Path> registered) {
  const std::uint32_t slots = slots_for(registered.size());
  std::map<std::uint32_t, std::vector<Path>> chains;
  for (Path& path : registered | std::views::reverse) {
    const std::uint32_t slot = hash(path.view()) % slots;
    chains[slot].push_back(std::move(path));
  }
  std::vector<Path> listed;
  for (auto& [slot, chain] : chains) std::ranges::move(chain, std::back_inserter(listed));
  return listed;
}

}  // namespace lockstep::internal
