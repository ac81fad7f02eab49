#include "lockstep/search/oracle.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep::search {

namespace {

constexpr std::array kOracles = {
    OracleFacts{Oracle::kS1, "S1", true, "exclusion, in the server's order",
                "At no point of the server's history may two clients hold the lock, and a grant "
                "must rest on what was true there.",
                "no grant was reported"},
    OracleFacts{
        Oracle::kS2, "S2", true, "exclusion, in the clients' order",
        "While one client believes that it holds the lock, no other may be granted it.",
        "no grant followed one that its holder's own clock keeps, and nobody entered what the lock "
        "protects"},
    OracleFacts{Oracle::kS3, "S3", true, "fencing tokens grow",
                "A later grant must carry a larger fencing token than an earlier one.",
                "no exclusive grant followed another one of its queue"},
    OracleFacts{Oracle::kS4, "S4", true, "a session deletes its own znodes only",
                "A contender's znode may be deleted by its own session only.",
                "no session deleted a contender's znode"},
    OracleFacts{Oracle::kS5, "S5", true, "no orphan is left behind",
                "Once everything has settled, every contender's znode must belong to a session "
                "that still holds the lock or waits for it.",
                "no contender made a znode, or each was still in use"},
    OracleFacts{
        Oracle::kL1, "L1", true, "no lost wakeup",
        "A contender whose turn has come must get the lock without waiting for the clock, and once "
        "the faults are over, every acquire must end, with the lock or with an error that has a "
        "cause: a fault, or its deadline.",
        "there was no contender"},
    OracleFacts{Oracle::kL2, "L2", true, "first come, first served",
                "The lock must be granted in the order of the contenders' places in the queue.",
                "no two conflicting grants of a queue were reported"},
    OracleFacts{Oracle::kL3, "L3", true, "one wake per release",
                "A release must wake one waiter, not the herd.",
                "no contender reported that it waits for its turn in a queue "
                "(LockObserver::waiting) and got the lock or looked again while no fault had "
                "struck, or the search is exhaustive",
                "L3"},
    OracleFacts{Oracle::kL4, "L4", true, "the deadline holds",
                "An acquire must return when its deadline has come, and not time out before.",
                "no acquire had a deadline"},
    OracleFacts{Oracle::kR1, "R1", true, "a loss is reported once",
                "A lost lock must be reported once, and never after its release.",
                "no loss was reported, and no release found one"},
    OracleFacts{Oracle::kR2, "R2", true, "a release tells one outcome",
                "Every release of a grant must tell the same outcome, and a true one.",
                "no release was reported"},
    OracleFacts{Oracle::kDeadlock, "deadlock", false, "no contender can go on",
                "As long as a contender waits, something must happen."},
    OracleFacts{Oracle::kLivelock, "livelock", false, "there is no end",
                "Every execution must come to an end.", "", "livelock by repetition"},
    OracleFacts{Oracle::kCrash, "crash", false, "an exception escaped, or the process ended",
                "No task may end with an exception, or end the process."},
    OracleFacts{Oracle::kMisuse, "misuse", false, "a call breaks its contract",
                "Every call must keep its preconditions."},
};

constexpr OracleFacts kUsersOwn = {.oracle = {},
                                   .name = "user",
                                   .is_guarantee = false,
                                   .brief = "the scenario's own check fails",
                                   .sentence = "The scenario's own invariant must hold."};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kOracles.size(); ++i) {
    if (kOracles[i].oracle != static_cast<Oracle>(i)) return false;
  }
  return kOracles.back().oracle == Oracle::kMisuse;
}
static_assert(in_order(), "each oracle has one row, in the order of the enumerators");

}  // namespace

std::span<const OracleFacts> oracles() { return kOracles; }

const OracleFacts& facts(Oracle oracle) { return kOracles[static_cast<std::size_t>(oracle)]; }

std::optional<Oracle> oracle_called(std::string_view name) {
  const auto found = std::ranges::find(kOracles, name, &OracleFacts::name);
  return found == kOracles.end() ? std::nullopt : std::optional(found->oracle);
}

const OracleFacts& facts(std::string_view oracle) {
  const std::optional<Oracle> known = oracle_called(oracle);
  return known ? facts(*known) : kUsersOwn;
}

std::string_view breaks(std::string_view oracle) {
  return facts(oracle).is_guarantee ? "breaks" : "fails with";
}

std::string headline(std::string_view oracle) {
  return std::string(oracle) + (facts(oracle).is_guarantee ? " is broken" : "");
}

std::vector<std::string_view> list_not_judged() {
  std::vector<std::string_view> parts;
  for (const OracleFacts& row : kOracles) {
    if (!row.not_exhaustively.empty()) parts.push_back(row.not_exhaustively);
  }
  return parts;
}

std::string not_judged() {
  std::string text;
  const std::vector<std::string_view> parts = list_not_judged();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

}  // namespace lockstep::search
