#include "visit.h"

#include <string>

#include "lockstep/lock_failure.h"
#include "lockstep/within.h"
#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/runtime.h"
#include "program/command.h"

namespace lockstep::program {

namespace {

Task<Result<void>> work_on(Client& client, const Work& work, Context bounds) {
  const auto session = co_await ok(client.session(bounds));
  const Result<void> done = co_await work(*session, bounds);
  co_return done;
}

Task<void> run_visit(Client& client, const Work& work, Context bounds, Result<void>& result) {
  result = co_await work_on(client, work, std::move(bounds));
}

// Unlike an acquire, a visit waits for nothing but answers.
std::string why_not(Error error, const Path& lock, const Client& client) {
  if (error != Error::kTimedOut) return describe(error, lock, client);
  const std::string failure = client.last_failure();
  return lock.string() + ": no server has answered in time" +
         (failure.empty() ? "" : " (" + failure + ")");
}

}  // namespace

void add_visit_options(CLI::App& command, VisitSettings& settings) {
  add_path(command, settings.path);
  add_ensemble(command, settings.ensemble);
  command
      .add_option_function<std::string>(
          "--timeout",
          [&settings](const std::string& text) { settings.limit = duration_of("--timeout", text); },
          "How long to try (10s)")
      ->type_name("D");
}

int visit(const VisitSettings& settings, const Work& work) {
  const Path lock = lock_path(settings.path);
  const zookeeper::Options options = settings.ensemble.options();
  zookeeper::Runtime runtime;
  zookeeper::Client client(runtime, options);
  Result<void> result;
  runtime.run(run_visit(client, work, within(runtime, settings.limit), result));
  if (result) return kOk;
  if (result.error() == Error::kNoNode) {
    say(settings.path + ": there is no such lock (servers remove one that has been free for long)");
    return kBadInput;
  }
  say(why_not(result.error(), lock, client));
  return status_of(result.error());
}

}  // namespace lockstep::program
