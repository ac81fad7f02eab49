#pragma once

#include <ostream>

#include "lockstep/acl.h"
#include "lockstep/error.h"
#include "lockstep/held_lock.h"
#include "lockstep/lock_observer.h"
#include "lockstep/path.h"
#include "lockstep/request.h"
#include "lockstep/session.h"
#include "lockstep/watch.h"

// Printers of the library's values for GoogleTest, in the namespaces of their types, where it
// searches.
namespace lockstep {

inline void PrintTo(Error error, std::ostream* out) { *out << name(error); }
inline void PrintTo(EventType type, std::ostream* out) { *out << name(type); }
inline void PrintTo(SessionState state, std::ostream* out) { *out << name(state); }
inline void PrintTo(LockState state, std::ostream* out) { *out << name(state); }
inline void PrintTo(ReleaseOutcome outcome, std::ostream* out) { *out << name(outcome); }
inline void PrintTo(OpCode op, std::ostream* out) { *out << name(op); }
inline void PrintTo(const Path& path, std::ostream* out) { *out << path.view(); }
inline void PrintTo(const WatchEvent& event, std::ostream* out) {
  *out << name(event.type()) << ' ' << event.path().view();
}
inline void PrintTo(const AclEntry& entry, std::ostream* out) {
  *out << entry.scheme << ':' << entry.id << ':' << entry.permissions;
}
inline void PrintTo(const Acl& acl, std::ostream* out) {
  for (const AclEntry& entry : acl.entries()) {
    PrintTo(entry, out);
    *out << ' ';
  }
}

}  // namespace lockstep
