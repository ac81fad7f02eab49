#include "lockstep/search/schedule.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lockstep::search {

namespace {

constexpr std::string_view kVersion = "lockstep1";
constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kHex = "0123456789abcdef";

template <class Number>
bool read_number(std::string_view text, Number& into, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into, base);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

// Takes the part before `separator` off `text` and returns it; all of `text` if there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return taken;
}

bool parse_deviations(std::string_view text, std::vector<fakezk::Deviation>& into) {
  if (text == "calm") return true;
  for (bool more = true; more;) {
    more = text.find(',') != std::string_view::npos;
    std::string_view item = take_until(text, ',');
    fakezk::Deviation deviation;
    if (!read_number(take_until(item, '.'), deviation.position)) return false;
    if (item.starts_with('F')) {
      deviation.choice.fault = true;
      item.remove_prefix(1);
    }
    if (!read_number(item, deviation.choice.index)) return false;
    if (!into.empty() && into.back().position >= deviation.position) return false;
    into.push_back(deviation);
  }
  return true;
}

bool parse_size(std::string_view text, ReplayString& into) {
  const std::size_t r = text.find('r');
  return text.starts_with('c') && r != std::string_view::npos &&
         read_number(text.substr(1, r - 1), into.clients) &&
         read_number(text.substr(r + 1), into.rounds) && into.clients > 0 && into.rounds > 0;
}

bool parse_faults(std::string_view text, fakezk::FaultPlan& into) {
  if (text == "none") return true;
  std::uint32_t total = 0;
  if (!text.starts_with('b')) return false;
  const std::string_view number = take_until(text, ':');
  if (!read_number(number.substr(1), total)) return false;
  if (!parse_fault_kinds(text, into).empty()) return false;
  into.set_total(total);
  return into.any();  // An empty plan is written "none".
}

bool parse_checks(std::string_view text, ReplayString& into) {
  if (text == kUnknown) {
    into.known = false;
    return true;
  }
  if (text.find('.') == std::string_view::npos) return false;  // The text is cut off.
  if (!read_number(take_until(text, '.'), into.trace_hash, 16)) return false;
  into.goes_on = text.ends_with('+');
  if (into.goes_on) text.remove_suffix(1);
  if (text.size() % 2 != 0) return false;
  for (std::size_t at = 0; at < text.size(); at += 2) {
    std::uint8_t check = 0;
    if (!read_number(text.substr(at, 2), check, 16)) return false;
    into.checks.push_back(check);
  }
  const std::size_t checks = into.checks.size();
  return into.goes_on ? checks == ReplayString::kMostChecks : checks <= ReplayString::kMostChecks;
}

}  // namespace

std::uint32_t ReplayString::first_difference(const ReplayString& now) const {
  const auto [was, is] = std::ranges::mismatch(checks, now.checks);
  const auto same = static_cast<std::uint32_t>(was - checks.begin());
  const bool all = was == checks.end() && is == now.checks.end();
  return all && same > 0 && !now.goes_on ? same : same + 1;
}

fakezk::Choice Replay::next(const fakezk::Menu&) { return at_this_position(); }

std::optional<std::uint32_t> Replay::last_fault(const fakezk::Menu&) {
  const fakezk::Choice choice = at_this_position();
  return choice.fault ? std::optional(choice.index) : std::nullopt;
}

std::uint32_t Replay::number(std::uint32_t) { return at_this_position().index; }

fakezk::Choice Replay::at_this_position() {
  const std::uint32_t now = position_++;
  if (recorded_ && diverged()) return fakezk::Choice{};
  if (next_deviation_ == deviations_.size() || deviations_[next_deviation_].position != now) {
    return fakezk::Choice{};
  }
  return deviations_[next_deviation_++].choice;
}

bool Replay::diverged() {
  const std::vector<std::uint8_t>& now = now_->checks();
  const std::vector<std::uint8_t>& recorded = recorded_->checks;
  while (same_ < now.size() && same_ < recorded.size() && now[same_] == recorded[same_]) ++same_;
  const bool unknown = same_ == recorded.size() && recorded_->goes_on;
  return same_ < now.size() && !unknown;
}

std::string format_deviations(const std::vector<fakezk::Deviation>& deviations) {
  if (deviations.empty()) return "calm";
  std::string text;
  for (const fakezk::Deviation& deviation : deviations) {
    if (!text.empty()) text += ',';
    text += std::to_string(deviation.position) + '.' + (deviation.choice.fault ? "F" : "") +
            std::to_string(deviation.choice.index);
  }
  return text;
}

std::string format_faults(const fakezk::FaultPlan& plan) {
  if (!plan.any()) return "none";
  std::string text = "b" + std::to_string(plan.total()) + ":";
  bool first = true;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if (plan.most(kind) == 0) continue;
    if (!first) text += ',';
    first = false;
    text += name(kind);
    if (plan.most(kind) != fakezk::FaultPlan::kUnlimited)
      text += ':' + std::to_string(plan.most(kind));
  }
  return text;
}

std::string parse_fault_kinds(std::string_view text, fakezk::FaultPlan& into) {
  if (text == "none") return {};
  if (text.empty()) return "the list of fault kinds is empty";
  fakezk::FaultKinds named = 0;
  for (bool more = true; more;) {
    more = text.find(',') != std::string_view::npos;
    std::string_view item = take_until(text, ',');
    const bool capped = item.find(':') != std::string_view::npos;
    const std::string_view called = take_until(item, ':');
    if (called == "all" && !capped && named == 0) {
      into = fakezk::FaultPlan::all(into.total());
      named = fakezk::kAllFaultKinds;
      continue;
    }
    const std::optional<fakezk::FaultKind> kind = fakezk::fault_kind(called);
    if (!kind) return "unknown fault kind '" + std::string(called) + "'";
    // Rejected, because it is unclear which of two caps would hold.
    if (named & bit(*kind)) return "fault kind '" + std::string(called) + "' is there twice";
    named |= bit(*kind);
    std::uint32_t most = fakezk::FaultPlan::kUnlimited;
    if (capped && !read_number(item, most)) {
      return "'" + std::string(item) + "' is not a cap for fault kind '" + std::string(called) +
             "'";
    }
    into.allow(*kind, most);
  }
  return {};
}

std::string ReplayString::text() const {
  std::string text = std::string(kVersion) + '/' + scenario + "/c" + std::to_string(clients) + 'r' +
                     std::to_string(rounds) + '/' + format_faults(faults) + '/' +
                     format_deviations(deviations) + '/';
  if (!known) return text.append(kUnknown);
  for (int shift = 60; shift >= 0; shift -= 4) text += kHex[(trace_hash >> shift) & 0xf];
  text += '.';
  for (const std::uint8_t check : checks) {
    text += kHex[check >> 4];
    text += kHex[check & 0xf];
  }
  if (goes_on) text += '+';
  return text;
}

void ReplayString::keep(std::vector<std::uint8_t> all_checks) {
  checks = std::move(all_checks);
  goes_on = checks.size() > kMostChecks;
  if (goes_on) checks.resize(kMostChecks);
}

std::string ReplayString::parse(std::string_view text, ReplayString& into) {
  ReplayString read;
  const std::string_view version = take_until(text, '/');
  if (version != kVersion) {
    if (version.starts_with("lockstep")) {
      return "the replay string is of version '" + std::string(version) +
             "', this program reads '" + std::string(kVersion) + "'";
    }
    return "this is not a replay string: it does not begin with '" + std::string(kVersion) + "/'";
  }
  read.scenario = take_until(text, '/');
  if (read.scenario.empty()) return "the replay string names no scenario";
  if (!parse_size(take_until(text, '/'), read)) return "the replay string is corrupt at its size";
  if (!parse_faults(take_until(text, '/'), read.faults)) {
    return "the replay string is corrupt at its faults";
  }
  if (!parse_deviations(take_until(text, '/'), read.deviations)) {
    return "the replay string is corrupt at its deviations";
  }
  if (!parse_checks(text, read)) return "the replay string is corrupt at its trace hash";
  into = std::move(read);
  return {};
}

void StepChecks::step(const fakezk::Step& step) {
  // An expiry also traces the timers that fire on its way: they belong to its step.
  if (checks_.size() == step.number) return;
  checks_.push_back(static_cast<std::uint8_t>(fakezk::mix(world_.trace_hash())));
}

}  // namespace lockstep::search
