#include <iostream>
#include <memory>

#include "commands.h"
#include "lock_view.h"
#include "lockstep/revocation.h"
#include "program/text.h"
#include "program/usage.h"
#include "visit.h"

namespace lockstep::program {

namespace {

constexpr int kNobodyAsked = 1;

constexpr const char* kRevokeFooter =
    "A holder is asked by the data of its znode, as Curator does it; it decides itself when to\n"
    "release. `lockstep lock` sends its command a SIGTERM. A holder whose lock is not revocable\n"
    "does not notice.\n"
    "\n"
    "Exit status: 0 every holder was asked; 1 the lock has no holder; 2 bad input, a path that is\n"
    "no lock, or a holder that this client may not ask; 75 no server answers in time; 70 an error\n"
    "of this program, 74 a result cannot be written.\n";

// The view was read a moment ago.
Task<Result<void>> ask(Session& session, Path lock, LockView& view, Context context) {
  view = co_await ok(look_at(session, lock, context));
  const bool queue = view.kind == LockView::Kind::kQueue;
  const bool semaphore = view.kind == LockView::Kind::kSemaphore;
  const bool can_be_asked = (queue || semaphore) && !view.holders.empty();
  if (!can_be_asked) co_return Result<void>();
  if (semaphore) lock = lock / "leases";
  const Marks marks = semaphore ? Marks(kLeaseMarks) : known_marks();
  const Result<void> asked = co_await revoke(session, std::move(lock), marks, std::move(context));
  if (!asked && asked.error() == Error::kNoNode) {
    view.holders.clear();
    co_return Result<void>();
  }
  co_return asked;
}

int run_revoke(const VisitSettings& settings) {
  LockView view;
  const int status = visit(settings, [&](Session& session, Context context) {
    return ask(session, settings.path, view, std::move(context));
  });
  if (status != kOk) return status;
  if (view.kind == LockView::Kind::kNoLock) {
    throw UsageError(settings.path + ": is no lock: none of its children is a contender");
  }
  if (view.kind == LockView::Kind::kKazooSemaphore) {
    throw UsageError(settings.path + ": the holders of kazoo's leases cannot be asked");
  }
  if (view.kind == LockView::Kind::kZnode) {
    throw UsageError(settings.path + ": the holder of a lock of one znode cannot be asked");
  }
  if (view.holders.empty()) {
    say(settings.path + ": the lock has no holder");
    return kNobodyAsked;
  }
  std::cout << settings.path << ": asked " << counted(view.holders.size(), "holder") << '\n';
  return kOk;
}

}  // namespace

void add_revoke(CLI::App& app, CommandLine& line) {
  CLI::App* const command =
      app.add_subcommand("revoke", "Asks the holders of a lock of a real ensemble to release it");
  command->footer(kRevokeFooter);
  const auto settings = std::make_shared<VisitSettings>();
  add_visit_options(*command, *settings);
  command->callback([&line, settings] { line.run = [settings] { return run_revoke(*settings); }; });
}

}  // namespace lockstep::program
