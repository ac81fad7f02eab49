#include "zoo_35.h"

namespace lockstep::scenarios::zoo_35 {

Task<Result<Created>> create(Session& session, Path parent, std::string mark, Data data,
                             Context context) {
  for (;;) {
    const auto there = co_await ok(retried(session, &Session::exists_watched, parent, context));
    if (there.value) co_return co_await protected_create(session, parent, mark, data, context);
    // The flaw: should create it.
    co_await ok(there.watch.fired(context));
  }
}

}  // namespace lockstep::scenarios::zoo_35
