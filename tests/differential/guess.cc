#include "differential/guess.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace lockstep::differential {

namespace {

using namespace std::string_view_literals;

constexpr const char* kNames[] = {"a", "a", "a", "b", "b", "c"};  // Some are more frequent.
constexpr std::string_view kOddities[] = {
    "/"sv,
    "/a/"sv,
    "//a"sv,
    "/a//b"sv,
    "/."sv,
    "/.."sv,
    "/a/."sv,
    "/a/../b"sv,
    "/..."sv,
    "/\x01"sv,
    "/\x1e"sv,
    "/\x1f"sv,
    "/\x7f"sv,
    "/\xff\xfe"sv,
    "/\xc2\x80"sv,
    "/\xc2\xa0"sv,
    "/ "sv,
    "/\xf0\x9f\x98\x80"sv,
    "/\xef\xa3\xbf"sv,
    "/\xef\xa4\x80"sv,
    "/\xef\xbf\xb0"sv,
    "/a\0b"sv,
    "/a/\xed\xa0\x80"sv,
};

std::string counted(const std::string& prefix, int number) {
  char digits[16];
  std::snprintf(digits, sizeof(digits), "%010d", number);
  return prefix + digits;
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

std::string Guess::any_of_the_universe() {
  std::string path;
  const int depth = 1 + draw_.weighted(std::array{70, 22, 8});
  for (int i = 0; i < depth; ++i) path += "/" + std::string(draw_.of(kNames));
  return path;
}

std::string Guess::known() {
  const int index = draw_.below(static_cast<int>(znodes_.size()));
  return std::next(znodes_.begin(), index)->first;
}

std::string Guess::malformed() {
  const std::string oddity(draw_.of(kOddities));
  return draw_.percent(70) ? oddity : known() + oddity;
}

std::string Guess::some_path() {
  switch (draw_.weighted(std::array{82, 13, 3, 2})) {
    case 0: return known();
    case 1: return any_of_the_universe();
    case 2: return counted(known() + "/a", draw_.below(4));
    default: return malformed();
  }
}

std::string Guess::path_to_create() {
  const int kind = draw_.weighted(std::array{60, 25, 12, 3});
  if (kind == 0) return known() + "/" + std::string(draw_.of(kNames));
  if (kind == 1) return any_of_the_universe();
  return kind == 2 ? known() : malformed();
}

std::int32_t Guess::some_version(const std::string& path) {
  const int kind = draw_.weighted(std::array{55, 30, 10, 5});
  if (kind == 0) return -1;
  if (kind == 3) return -2;
  if (kind == 2) return draw_.below(3);
  const auto found = znodes_.find(path);
  return found == znodes_.end() ? 0 : found->second.version;
}

void Guess::created(const Op& op, int session) {
  const auto parent = znodes_.find(parent_of(op.path));
  if (parent == znodes_.end() || parent->second.owner != kNoSession) return;
  if (!is_sequential(op.mode) && znodes_.contains(op.path)) return;
  const int number = parent->second.creates++;
  const auto created =
      znodes_.try_emplace(is_sequential(op.mode) ? counted(op.path, number) : op.path);
  if (created.second && is_ephemeral(op.mode)) created.first->second.owner = session;
}

bool Guess::has_children(const std::string& path) const {
  const auto next = znodes_.lower_bound(path + "/");
  return next != znodes_.end() && next->first.starts_with(path + "/");
}

void Guess::sent(const Op& op, int session) {
  for (const Op& part : op.ops) sent(part, session);
  if (op.op == OpCode::kCreate) return created(op, session);
  const auto znode = znodes_.find(op.path);
  if (znode == znodes_.end() || op.path.empty()) return;
  if (op.op == OpCode::kSetData) ++znode->second.version;
  if (op.op == OpCode::kRemove && !has_children(op.path)) znodes_.erase(znode);
}

void Guess::ended(int session) {
  std::erase_if(znodes_, [session](const auto& znode) { return znode.second.owner == session; });
}

}  // namespace lockstep::differential
