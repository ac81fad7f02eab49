#include "differential/generate.h"

#include <algorithm>
#include <array>

#include "differential/guess.h"
#include "differential/users.h"

namespace lockstep::differential {

namespace {

constexpr int kRequests = 40;
constexpr const char* kReserved[] = {
    "/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config", "/zookeeper/none", "none",
    "",  "a/b"};
constexpr const char* kWrongCredentials[] = {"ann:wrong", "ann", "", "x:y:z"};
constexpr std::int32_t kPermissions[] = {31, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 30, 0, 32, -1};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : draw_(seed) {}
  Program program();

 private:
  void add_step();
  void add_ops(Step& step, int count);
  StepKind fate(int session);
  Op op();
  Op create();
  Op write(OpCode code);
  Op read(OpCode code);
  Op remove_watches();
  Op multi();
  Op part();
  Op add_auth();
  AclEntry entry();
  Acl acl();
  std::optional<std::string> data();

  Draw draw_;
  Guess guess_{draw_};
  Program program_;
  int sessions_ = 1;
  bool expiry_allowed_ = false;
  std::array<bool, Program::kSessions> away_{};
  std::array<bool, Program::kSessions> over_{};
};

Program Generator::program() {
  sessions_ = 1 + draw_.weighted(std::array{20, 45, 25, 10});
  expiry_allowed_ = draw_.percent(1);  // An expiry takes seconds of real time.
  const int size = 4 + draw_.below(kRequests - 3);
  while (program_.size() < static_cast<std::size_t>(size)) add_step();
  return std::move(program_);
}

// Most steps are requests. The others depend on the state of the session.
StepKind Generator::fate(int session) {
  const auto index = static_cast<std::size_t>(session);
  if (over_[index]) return draw_.percent(80) ? StepKind::kOpen : StepKind::kSend;
  if (away_[index]) {
    switch (draw_.weighted(std::array{48, 30, 7, 5, 2, 8})) {
      case 0: return StepKind::kSend;
      case 1: return StepKind::kReconnect;
      case 2: return StepKind::kFail;
      case 3: return StepKind::kKill;
      case 4: return StepKind::kClose;
      default: return StepKind::kDisconnect;  // The session was only deaf.
    }
  }
  switch (draw_.weighted(std::array{80, 5, 5, 3, 3, 1, 4})) {
    case 0: return StepKind::kSend;
    case 6: return StepKind::kDeafen;
    case 1: return StepKind::kLose;
    case 2: return StepKind::kDisconnect;
    case 3: return StepKind::kClose;
    case 4: return StepKind::kKill;
    default: return expiry_allowed_ ? StepKind::kExpire : StepKind::kKill;
  }
}

void Generator::add_step() {
  const int session = draw_.below(sessions_);
  Step step(fate(session), session);
  const auto index = static_cast<std::size_t>(session);
  switch (step.kind) {
    case StepKind::kSend: add_ops(step, draw_.percent(70) ? 1 : 2 + draw_.below(5)); break;
    case StepKind::kLose:
      add_ops(step, draw_.below(5));
      step.applied = draw_.below(static_cast<int>(step.ops.size()) + 1);
      break;
    case StepKind::kClose:
      if (draw_.percent(40)) add_ops(step, 1 + draw_.below(3));
      [[fallthrough]];
    case StepKind::kKill:
    case StepKind::kExpire:
      over_[index] = true;
      guess_.ended(session);
      break;
    case StepKind::kDeafen:
    case StepKind::kDisconnect: away_[index] = true; break;
    case StepKind::kOpen: over_[index] = false; [[fallthrough]];
    case StepKind::kReconnect: away_[index] = false; break;
    case StepKind::kFail: break;
  }
  program_.steps.push_back(std::move(step));
}

void Generator::add_ops(Step& step, int count) {
  const int room = kRequests - static_cast<int>(program_.size());
  for (int i = 0; i < std::min(count, room); ++i) {
    step.ops.push_back(op());
    guess_.sent(step.ops.back(), step.session);
  }
}

Op Generator::op() {
  switch (draw_.weighted(std::array{27, 11, 10, 10, 11, 9, 3, 4, 5, 8, 2, 3})) {
    case 0: return create();
    case 1: return write(OpCode::kRemove);
    case 2: return read(OpCode::kExists);
    case 3: return read(OpCode::kGetData);
    case 4: return write(OpCode::kSetData);
    case 5: return read(OpCode::kGetChildren);
    case 6: return Op(OpCode::kSync, guess_.some_path());
    case 7: return Op(OpCode::kGetAcl, guess_.some_path());
    case 8: return write(OpCode::kSetAcl);
    case 9: return multi();
    case 10: return add_auth();
    default: return remove_watches();
  }
}

std::optional<std::string> Generator::data() {
  switch (draw_.below(4)) {
    case 0: return std::nullopt;
    case 1: return "";
    case 2: return "x";
    default: return "some data";
  }
}

Op Generator::create() {
  Op op(OpCode::kCreate, guess_.path_to_create());
  op.mode = static_cast<CreateMode>(draw_.weighted(std::array{45, 20, 15, 10, 4, 3, 3}));
  if (is_sequential(op.mode) && draw_.percent(10)) op.path += "/";
  op.data = data();
  if (draw_.percent(25)) op.acl = acl();
  if (has_ttl(op.mode)) {
    constexpr std::int64_t kTimes[] = {1000, 1, 0, -1, (1LL << 40) - 1, 1LL << 40};
    op.ttl_ms = draw_.percent(60) ? kTimes[0] : draw_.of(kTimes);
  }
  return op;
}

Op Generator::write(OpCode code) {
  Op op(code, guess_.some_path());
  if (code == OpCode::kRemove && draw_.percent(4)) {
    op.path = draw_.of(kReserved);
    op.absolute = true;
  }
  op.version = guess_.some_version(op.path);
  if (code == OpCode::kSetData) op.data = data();
  if (code == OpCode::kSetAcl) op.acl = acl();
  return op;
}

Op Generator::read(OpCode code) {
  Op op(code, guess_.some_path());
  op.watch = draw_.percent(65);
  return op;
}

Op Generator::remove_watches() {
  constexpr WatchType kTypes[] = {WatchType::kAny, WatchType::kData, WatchType::kChild};
  Op op(OpCode::kRemoveWatches, guess_.some_path());
  op.watch_type = draw_.of(kTypes);
  return op;
}

Op Generator::part() {
  switch (draw_.weighted(std::array{35, 20, 25, 20})) {
    case 0: return create();
    case 1: return write(OpCode::kRemove);
    case 2: return write(OpCode::kSetData);
    default: return write(OpCode::kCheck);
  }
}

Op Generator::multi() {
  Op op(OpCode::kMulti);
  const int parts = draw_.below(6);
  for (int i = 0; i < parts; ++i) op.ops.push_back(part());
  return op;
}

Op Generator::add_auth() {
  Op op(OpCode::kAddAuth);
  op.scheme = draw_.percent(90) ? "digest" : draw_.percent(50) ? "ip" : "none";
  op.data = draw_.percent(80) ? draw_.of(kCredentials) : draw_.of(kWrongCredentials);
  return op;
}

AclEntry Generator::entry() {
  const std::int32_t permissions = draw_.of(kPermissions);
  switch (draw_.weighted(std::array{40, 30, 10, 12, 3, 3, 2})) {
    case 0: return {permissions, "world", "anyone"};
    case 1: return {permissions, "digest", draw_.of(kDigests)};
    case 2: return {permissions, "auth", ""};
    case 3: return {permissions, "ip", "127.0.0.1"};
    case 4: return {permissions, "ip", draw_.percent(50) ? "10.0.0.0/8" : "127.0.0.1/33"};
    case 5: return {permissions, "digest", draw_.percent(50) ? "ann" : "a:b:c"};
    default: return {permissions, draw_.percent(50) ? "none" : "world", "somebody"};
  }
}

Acl Generator::acl() {
  switch (draw_.weighted(std::array{15, 15, 8, 2, 60})) {
    case 0: return Acl::open();
    case 1: return Acl::read_only();
    case 2: return Acl::creator_only();
    case 3: return Acl(std::vector<AclEntry>());
    default: break;
  }
  std::vector<AclEntry> entries;
  const int count = 1 + draw_.below(3);
  entries.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) entries.push_back(entry());
  return Acl(std::move(entries));
}

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed).program(); }

}  // namespace lockstep::differential
