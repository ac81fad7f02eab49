#include "lockstep/lab/words.h"

namespace lockstep::lab {

namespace {

std::string kinds(const fakezk::FaultPlan& plan, std::string_view separator,
                  fakezk::FaultKinds among = fakezk::kEveryFaultKind) {
  std::string text;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if (plan.most(kind) == 0 || (among & bit(kind)) == 0) continue;
    if (!text.empty()) text += separator;
    text += name(kind);
    if (plan.most(kind) != fakezk::FaultPlan::kUnlimited) {
      text += ':' + std::to_string(plan.most(kind));
    }
  }
  return text;
}

// Whether the plan allows, without caps, all kinds that need not be named.
bool has_all(const fakezk::FaultPlan& plan) {
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    const bool need_not = (fakezk::kAllFaultKinds & bit(kind)) != 0;
    if (need_not && plan.most(kind) != fakezk::FaultPlan::kUnlimited) return false;
  }
  return true;
}

}  // namespace

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ' ');
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view what) {
  return grouped(number) + ' ' + std::string(what) + (number == 1 ? "" : "s");
}

std::string in_words(ScenarioSize size) {
  return counted(size.clients, "client") + ", " + counted(size.rounds, "round") + " each";
}

std::string fault_kinds(const fakezk::FaultPlan& plan) {
  if (!plan.any()) return "none";
  if (!has_all(plan)) return kinds(plan, ",");
  const std::string named = kinds(plan, ",", fakezk::kNamedFaultKinds);
  return named.empty() ? "all" : "all," + named;
}

std::string describe_faults(const fakezk::FaultPlan& plan) {
  if (!plan.any()) return "no faults";
  const std::string named = kinds(plan, ", ", fakezk::kNamedFaultKinds);
  const std::string all = named.empty() ? "all kinds" : "all kinds and " + named;
  return "at most " + counted(plan.total(), "fault") + " per execution (" +
         (has_all(plan) ? all : kinds(plan, ", ")) + ")";
}

std::string describe_impossible(fakezk::FaultKinds impossible) {
  std::string text;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if ((impossible & bit(kind)) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name(kind)) + " (" +
            std::string(why_impossible(facts(kind).needs)) + ')';
  }
  return text;
}

std::string groundless(std::string_view contender, Error failure) {
  return "an acquire of " + std::string(contender) + " failed (" + std::string(name(failure)) +
         "), although no fault had struck and no deadline of it had passed (one that does not wait"
         " for others answers kConflict)";
}

std::string fault_kind_names() { return kinds(fakezk::FaultPlan::all(1), ", "); }

std::string named_fault_kind_names() {
  std::string text;
  for (std::size_t i = 0; i < fakezk::kFaultKinds; ++i) {
    const auto kind = static_cast<fakezk::FaultKind>(i);
    if ((fakezk::kNamedFaultKinds & bit(kind)) == 0) continue;
    if (!text.empty()) text += ", ";
    text += name(kind);
  }
  return text;
}

}  // namespace lockstep::lab
