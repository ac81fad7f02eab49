#include "losses.h"

#include <algorithm>

namespace lockstep::service {

bool Losses::strike(bool reply, wire::Op op, SessionId session) {
  const auto fits = [&](const Loss& loss) {
    return loss.reply == reply && (loss.session == 0 || loss.session == session) &&
           (loss.kind ? *loss.kind == op : op != wire::Op::kPing);
  };
  const auto found = std::ranges::find_if(losses_, fits);
  if (found == losses_.end()) return false;
  losses_.erase(found);
  return true;
}

}  // namespace lockstep::service
