#include "lockstep/search/chronicle.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace lockstep::search {

namespace {

constexpr std::size_t kGuidLength = 36;
constexpr std::size_t kFewestCharacters = 4;

// Shortens each GUID that a protected create has put into `text` to `kept(guid)` characters.
template <class Kept>
std::string with_guids(std::string_view text, Kept kept) {
  constexpr std::string_view kPrefix = "_c_";
  std::string plain;
  while (!text.empty()) {
    const std::size_t at = text.find(kPrefix);
    plain += text.substr(0, at);
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + kPrefix.size());
    if (text.size() <= kGuidLength || text[kGuidLength] != '-') {
      plain += kPrefix;
      continue;
    }
    const std::string_view guid = text.substr(0, kGuidLength);
    if (const std::size_t characters = kept(guid); characters > 0) {
      plain.append(kPrefix).append(guid.substr(0, characters)).append("\u2026-");
    }
    text.remove_prefix(kGuidLength + 1);
  }
  return plain;
}

// Replaces each known session in `text` by the name of its process.
std::string with_processes(std::string_view text,
                           const std::map<std::string, std::string, std::less<>>& processes) {
  constexpr std::string_view kSession = "session 0x";
  std::string plain;
  for (std::size_t at; (at = text.find(kSession)) != text.npos;) {
    const std::size_t digits = text.find_first_not_of("0123456789abcdef", at + kSession.size());
    const std::string_view session = text.substr(at, digits - at);
    const auto known = processes.find(session);
    plain += text.substr(0, at);
    plain += known == processes.end() ? session : std::string_view(known->second);
    text.remove_prefix(at + session.size());
  }
  return plain += text;
}

// How many leading characters tell these GUIDs apart.
std::size_t characters_that_differ(const std::set<std::string_view>& guids) {
  std::size_t characters = kFewestCharacters;
  for (auto next = guids.begin(); next != guids.end(); ++next) {
    if (next == guids.begin()) continue;
    const auto [one, other] = std::ranges::mismatch(*std::prev(next), *next);
    characters = std::max(characters, static_cast<std::size_t>(other - next->begin()) + 1);
  }
  return characters;
}

}  // namespace

std::string user_name(std::string_view process, std::uint32_t user) {
  std::string name(process);
  return user == 0 ? name : name + '.' + std::to_string(user);
}

std::vector<Lane> lanes_of(const Chronicle& chronicle) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> users;
  for (const Moment& moment : chronicle.moments) users.emplace(moment.process, moment.user);
  std::vector<Lane> lanes;
  for (std::uint32_t process = 0; process < chronicle.processes.size(); ++process) {
    const std::string& name = chronicle.processes[process];
    lanes.push_back({process, 0, name});
    for (auto next = users.upper_bound({process, 0}); next != users.end(); ++next) {
      if (next->first != process) break;
      lanes.push_back({process, next->second, user_name(name, next->second)});
    }
  }
  return lanes;
}

std::vector<std::size_t> excerpt(const Chronicle& chronicle, std::size_t first, std::size_t last) {
  std::vector<std::size_t> shown;
  const std::size_t all = chronicle.moments.size();
  for (std::size_t i = 0; i < all; ++i) {
    // A gap of one line would take as much room as the line that it leaves out.
    const bool left_out = all > first + last + 1 && i >= first && i < all - last;
    if (!left_out) shown.push_back(i);
  }
  return shown;
}

std::string without_guids(std::string_view text) {
  return with_guids(text, [](std::string_view) { return 0; });
}

ShortNames::ShortNames(const Chronicle& chronicle) {
  for (const auto& [session, process] : chronicle.sessions) {
    if (process < chronicle.processes.size()) {
      sessions_.emplace(session, chronicle.processes[process]);
    }
  }
  std::map<std::string, std::set<std::string_view>> called;
  for (const ZnodeChange& change : chronicle.changes) {
    called[without_guids(change.path)].insert(change.path);
  }
  for (const auto& [name, paths] : called) {
    if (paths.size() < 2) continue;
    std::set<std::string_view> guids;
    for (const std::string_view path : paths) {
      with_guids(path, [&](std::string_view guid) {
        guids.insert(guid);
        return 0;
      });
    }
    const std::size_t kept = characters_that_differ(guids);
    for (const std::string_view guid : guids) kept_.emplace(guid, kept);
  }
}

std::string ShortNames::operator()(std::string_view text) const {
  std::string plain = with_guids(text, [&](std::string_view guid) -> std::size_t {
    const auto kept = kept_.find(guid);
    return kept == kept_.end() ? 0 : kept->second;
  });
  return with_processes(plain, sessions_);
}

}  // namespace lockstep::search
