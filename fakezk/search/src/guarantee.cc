#include "lockstep/search/guarantee.h"

#include <array>

namespace lockstep::search {

namespace {

struct Guarantee {
  std::string_view oracle;
  std::string_view brief;
  std::string_view sentence;
  bool is_guarantee = true;
};

// In the order of kOracleOrder; the last line is for everything else.
constexpr std::array kGuarantees = {
    Guarantee{"S1", "exclusion, in the server's order",
              "At no point of the server's history may two clients hold the lock, and a grant must "
              "rest on what was true there."},
    Guarantee{"S2", "exclusion, in the clients' order",
              "While one client believes that it holds the lock, no other may be granted it."},
    Guarantee{"S3", "fencing tokens grow",
              "A later grant must carry a larger fencing token than an earlier one."},
    Guarantee{"S4", "nobody touches what is not its own",
              "A contender's znode may be deleted by its own session only."},
    Guarantee{"S5", "no orphan is left behind",
              "Once everything has settled, every contender's znode must belong to somebody who "
              "still holds the lock or waits for it."},
    Guarantee{"L1", "no lost wakeup",
              "Once the faults are over, every acquire must end, with the lock or with an error."},
    Guarantee{"L2", "first come, first served",
              "The lock must be granted in the order of the contenders' places in the queue."},
    Guarantee{"L3", "one wake per release", "A release must wake one waiter, not the herd."},
    Guarantee{"L4", "the deadline holds", "An acquire must return when its deadline has come."},
    Guarantee{"R1", "a loss is reported once",
              "A lost lock must be reported once, and never after its release."},
    Guarantee{"R2", "a release tells one outcome",
              "Every release of a grant must tell the same outcome, and a true one."},
    Guarantee{"deadlock", "nobody can go on", "As long as somebody waits, something must happen.",
              false},
    Guarantee{"livelock", "there is no end", "Every execution must come to an end.", false},
    Guarantee{"crash", "an exception escaped", "No task may end with an exception.", false},
    Guarantee{"misuse", "a call breaks its contract", "Every call must keep its preconditions.",
              false},
    Guarantee{"", "the scenario's own check fails", "The scenario's own invariant must hold.",
              false},
};

const Guarantee& of(std::string_view oracle) {
  for (const Guarantee& known : kGuarantees) {
    if (known.oracle == oracle) return known;
  }
  return kGuarantees.back();
}

}  // namespace

std::string_view guarantee(std::string_view oracle) { return of(oracle).brief; }

std::string_view breaks(std::string_view oracle) {
  return of(oracle).is_guarantee ? "breaks" : "fails with";
}

std::string is_broken(std::string_view oracle) {
  return std::string(oracle) + (of(oracle).is_guarantee ? " is broken" : "");
}

std::string_view guarantee_sentence(std::string_view oracle) { return of(oracle).sentence; }

}  // namespace lockstep::search
