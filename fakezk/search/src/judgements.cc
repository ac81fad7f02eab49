#include "lockstep/search/judgements.h"

namespace lockstep::search {

std::string Judgements::verdict() const {
  return covers_exclusion() ? "no violation" : "no violation, exclusion NOT judged";
}

std::string Judgements::text() const {
  std::string judged;
  std::string idle;
  for (const OracleFacts& row : oracles()) {
    if (!row.is_guarantee) continue;
    std::string& list = of(row.oracle) > 0 ? judged : idle;
    if (!list.empty()) list += ", ";
    list += row.name;
    list += of(row.oracle) > 0 ? ' ' + std::to_string(of(row.oracle))
                               : " (" + std::string(row.idle_because) + ')';
  }
  std::string text;
  if (!covers_exclusion()) {
    text =
        "Exclusion was not judged: no grant was reported to the LockObserver, and nobody entered "
        "what the lock protects (lab::Inside; in threads, threads::Inside).\n";
  }
  if (!judged.empty()) text += "Judged: " + judged + " times.";
  if (!idle.empty()) text += (judged.empty() ? "" : " ") + ("Judged nothing: " + idle + '.');
  return text;
}

}  // namespace lockstep::search
