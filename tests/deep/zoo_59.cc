// Forces its way (made up): the lock is the data of one znode, empty or the owner's name, which
// conditional writes change. A client reads an empty word, and twice in a row another client is
// faster, but has left before the next look. The third time the client writes without a version,
// over an owner that was faster again. Correct: every write names the version that was read.
#include "lockstep/retried.h"
#include "scenarios/broken_lock.h"
#include "scenarios/inside.h"

namespace lockstep::scenarios::zoo_59 {

namespace {

constexpr std::chrono::seconds kLimit(60);  // Owners whose session has ended never give back.

Task<Result<void>> take(Session& session, Path word, Data ours, Context limit) {
  std::uint32_t conflicts = 0;
  for (;;) {
    auto read = co_await ok(retried(session, &Session::get_data_watched, word, limit));
    if (read.value.data == ours) co_return Result<void>();  // The reply to the write was lost.
    if (!read.value.data.view().empty()) {
      conflicts = 0;
      co_await ok(read.watch.fired(limit));
      continue;
    }
    std::int32_t version = read.value.stat.version;
    // The flaw: another client may own it by now.
    if (conflicts == 2) version = -1;
    const Result<Stat> written = co_await session.set_data(word, ours, version, limit);
    if (written) co_return Result<void>();
    if (written.error() == Error::kBadVersion) {
      ++conflicts;
      continue;
    }
    if (!outcome_unknown(written)) co_return failure(written.error());
    co_await ok(session.connected(limit));
  }
}

Task<void> give_back(Session& session, Path word, Data ours) {
  for (;;) {
    const auto read = co_await retried(session, &Session::get_data, word, Context());
    if (!read || read->data != ours) co_return;
    const auto written = co_await session.set_data(word, Data(), read->stat.version);
    if (!outcome_unknown(written)) co_return;
    if (!co_await session.connected()) co_return;
  }
}

// No grant is reported to the oracles: the resource judges.
Task<void> hold(Contender& self, Session& session, Path word) {
  const Guid guid(session.random());
  const Context limit(self.client().executor().now() + kLimit);
  const Result<void> taken = co_await take(session, word, Data(guid.view()), limit);
  if (!taken) co_return;
  {
    const Inside inside(self, session, std::nullopt);
    static_cast<void>(co_await session.exists(word));
  }
  co_await give_back(session, word, Data(guid.view()));
}

const Registered kRegistered{
    Scenario{"zoo-59-forces-its-way", "zoo", "S2",
             "Writes over the lock's word after it was outrun twice in a row.",
             lab::ScenarioSize{4, 1}, &in_each_round<&hold>, "made up", false, 2, 100'000}};

}  // namespace

}  // namespace lockstep::scenarios::zoo_59
