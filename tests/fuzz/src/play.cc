#include "fuzz/play.h"

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/script.h"
#include "lockstep/fake/client.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/sleep.h"
#include "support/error_of.h"
#include "support/guarantee_checker.h"

namespace lockstep::fuzz {

namespace {

using support::error_of;

constexpr std::uint32_t kMostWorldSteps = 20'000;

// Lets the rest of the bytes decide what happens next; the default schedule follows.
class ByteChooser final : public fakezk::Chooser {
 public:
  explicit ByteChooser(Bytes& bytes) : bytes_(bytes) {}
  fakezk::Choice next(const fakezk::Menu&) override {
    constexpr std::uint8_t kFirstFault = 0xd0;
    const std::uint8_t byte = bytes_.next();
    if (byte < kFirstFault) return {false, byte};
    return {true, static_cast<std::uint32_t>(byte - kFirstFault)};
  }
  std::uint32_t number(std::uint32_t options) override { return bytes_.below(options); }

 private:
  Bytes& bytes_;
};

// One client, and the results of its requests.
struct Worker {
  Worker(fakezk::Process& process, std::string name) : client(process, std::move(name)) {}

  fake::FakeClient client;
  std::vector<const Step*> steps;
  std::vector<Watch> watches;
  std::uint32_t sent = 0;
  std::uint32_t ended = 0;
  std::uint32_t newest = 0;  // The newest answered one.
  std::string complaint;
};

// The client refuses these requests at once, or their context has ended: no answer came from the
// server.
bool is_answer(std::optional<Error> error) {
  return error != Error::kBadArguments && error != Error::kUnimplemented &&
         error != Error::kInvalidAcl && error != Error::kTimedOut;
}

// Checks that requests are answered in the order of sending.
void end(Worker& worker, std::uint32_t number, std::optional<Error> error) {
  ++worker.ended;
  if (!is_answer(error)) return;
  if (number < worker.newest && worker.complaint.empty()) {
    worker.complaint = "request " + std::to_string(number) + " was answered after request " +
                       std::to_string(worker.newest);
  }
  worker.newest = number;
}

// Keeps the watch of a read, or drops it.
template <class T>
std::optional<Error> keep_watch(Worker& worker, const Step& step, Result<Watched<T>>& read) {
  if (!read) return read.error();
  if (step.kept) worker.watches.push_back(std::move(read->watch));
  return std::nullopt;
}

Context context_of(const Worker& worker, const Step& step) {
  if (!step.hurried) return {};
  return worker.client.executor().now() + std::chrono::milliseconds(1);
}

Task<std::optional<Error>> read(Worker& worker, const Step& step, Session& session,
                                Context context) {
  if (!step.watched) {
    if (step.kind == Step::Kind::kExists) {
      const auto found = co_await session.exists(step.path, context);
      co_return error_of(found);
    }
    if (step.kind == Step::Kind::kGetData) {
      const auto found = co_await session.get_data(step.path, context);
      co_return error_of(found);
    }
    const auto found = co_await session.get_children(step.path, context);
    co_return error_of(found);
  }
  if (step.kind == Step::Kind::kExists) {
    auto found = co_await session.exists_watched(step.path, context);
    co_return keep_watch(worker, step, found);
  }
  if (step.kind == Step::Kind::kGetData) {
    auto found = co_await session.get_data_watched(step.path, context);
    co_return keep_watch(worker, step, found);
  }
  auto found = co_await session.get_children_watched(step.path, context);
  co_return keep_watch(worker, step, found);
}

Task<std::optional<Error>> write(const Step& step, Session& session, Context context) {
  if (step.kind == Step::Kind::kCreate) {
    const auto done = co_await session.create(step.path, step.data, step.creation, context);
    co_return error_of(done);
  }
  if (step.kind == Step::Kind::kRemove) {
    const auto done = co_await session.remove(step.path, step.version, context);
    co_return error_of(done);
  }
  if (step.kind == Step::Kind::kSetData) {
    const auto done = co_await session.set_data(step.path, step.data, step.version, context);
    co_return error_of(done);
  }
  if (step.kind == Step::Kind::kSetAcl) {
    const auto done = co_await session.set_acl(step.path, step.creation.acl, step.version, context);
    co_return error_of(done);
  }
  Transaction transaction = step.transaction;
  const auto done = co_await session.multi(std::move(transaction), context);
  co_return error_of(done);
}

// Sends a request, waits, and records its end. A close and an add_auth may be answered out of
// order.
Task<void> ask(Worker& worker, const Step& step, std::shared_ptr<Session> session) {
  const std::uint32_t number = worker.sent++;
  const Context context = context_of(worker, step);
  std::optional<Error> error;
  switch (step.kind) {
    case Step::Kind::kExists:
    case Step::Kind::kGetData:
    case Step::Kind::kGetChildren: error = co_await read(worker, step, *session, context); break;
    case Step::Kind::kGetAcl: {
      const auto done = co_await session->get_acl(step.path, context);
      error = error_of(done);
      break;
    }
    case Step::Kind::kRemoveWatches: {
      const auto done = co_await session->remove_watches(step.path, WatchType::kAny, context);
      error = error_of(done);
      break;
    }
    case Step::Kind::kSync: {
      const auto done = co_await session->sync(step.path, context);
      error = error_of(done);
      break;
    }
    case Step::Kind::kPause: {
      static_cast<void>(co_await sleep_for(session->executor(), std::chrono::milliseconds(700)));
      error = Error::kTimedOut;
      break;
    }
    case Step::Kind::kAddAuth: {
      static_cast<void>(co_await session->add_auth(step.scheme, step.data, context));
      error = Error::kTimedOut;
      break;
    }
    case Step::Kind::kClose: {
      static_cast<void>(co_await session->close(context));
      error = Error::kTimedOut;
      break;
    }
    default: error = co_await write(step, *session, context);
  }
  end(worker, number, error);
}

Task<void> work(Worker& worker) {
  for (const Step* const step : worker.steps) {
    const Result<std::shared_ptr<Session>> session = co_await worker.client.session(Context());
    if (!session) continue;
    if (step->pipelined) {
      worker.client.process().tasks().spawn(ask(worker, *step, *session));
    } else {
      co_await ask(worker, *step, *session);
    }
  }
}

// Plays one input in one world.
class Play {
 public:
  Play(const Script& script, Bytes& bytes)
      : world_(script.servers), checker_(world_), chooser_(bytes) {
    if (!script.access_matters) world_.set_tracer(&checker_);
    world_.set_faults(script.faults);
    for (std::uint32_t i = 0; i < script.workers; ++i) {
      workers_.emplace_back(world_.add_process(), std::string(1, static_cast<char>('A' + i)));
    }
    for (const Step& step : script.steps) workers_[step.worker].steps.push_back(&step);
  }
  ~Play() { world_.end_tasks(); }
  Play(const Play&) = delete;
  Play& operator=(const Play&) = delete;

  Played run() {
    for (Worker& worker : workers_) worker.client.process().tasks().spawn(work(worker));
    world_.drain();
    while (working() && complaint().empty() && world_.step(chooser_)) {
    }
    while (complaint().empty() && world_.step_without_time(chooser_)) {
    }
    Played played;
    played.complaint = complaint();
    if (played.complaint.empty() && working()) played.complaint = "a request is never answered";
    played.trace_hash = world_.trace_hash();
    for (const Worker& worker : workers_) played.answered += worker.ended;
    played.checked = checker_.reads_checked() + checker_.events_checked();
    return played;
  }

 private:
  [[nodiscard]] bool working() const {
    for (const Worker& worker : workers_) {
      if (!worker.client.process().tasks().empty()) return true;
    }
    return false;
  }
  [[nodiscard]] std::string complaint() const {
    if (world_.task_failed()) return "an exception has escaped";
    if (checker_.broken()) return *checker_.broken();
    if (world_.steps() > kMostWorldSteps) return "there is no end";
    for (const Worker& worker : workers_) {
      if (!worker.complaint.empty()) return worker.complaint;
    }
    return "";
  }

  fakezk::World world_;
  support::GuaranteeChecker checker_;
  ByteChooser chooser_;
  std::deque<Worker> workers_;
};

}  // namespace

Played play(std::span<const std::uint8_t> input) {
  Bytes bytes(input);
  const Script script = read_script(bytes);
  Play play(script, bytes);
  return play.run();
}

}  // namespace lockstep::fuzz
