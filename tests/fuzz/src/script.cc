#include "fuzz/script.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::fuzz {

namespace {

constexpr std::uint32_t kMostSteps = 24;
constexpr std::uint32_t kMostOps = 4;
constexpr std::uint32_t kMostFaults = 6;

// Paths that affect each other, and paths that some component refuses.
Path any_path(Bytes& bytes) {
  static constexpr std::string_view kPaths[] = {"/a",
                                                "/a/x",
                                                "/a/y",
                                                "/b",
                                                "/b/x",
                                                "/a/x/deep",
                                                "/",
                                                "/zookeeper",
                                                "/a/\xff",
                                                "/\x7f",
                                                "/a/",
                                                "/a//b",
                                                "x",
                                                "",
                                                "/a/.",
                                                "/\xf0\x9f\x94\x92",
                                                "/b/x/far",
                                                "/a\x01b",
                                                "/zookeeper/config"};
  // Chooses mostly from the first six.
  const std::uint8_t byte = bytes.next();
  const std::size_t count = byte < 208 ? 6 : std::size(kPaths);
  return Path(kPaths[byte % count]);
}

Data any_data(Bytes& bytes) {
  static constexpr std::string_view kData[] = {"", "x", "longer data", std::string_view("a\0b", 3)};
  const std::uint32_t index = bytes.below(std::size(kData) + 1);
  if (index == std::size(kData)) return Data();
  return Data(kData[index]);
}

std::int32_t any_version(Bytes& bytes) {
  static constexpr std::int32_t kVersions[] = {-1, -1, 0, 1, 2, -2};
  return bytes.one_of(kVersions);
}

Acl any_acl(Script& script, Bytes& bytes) {
  static constexpr std::string_view kIds[][2] = {
      {"world", "anyone"},     {"auth", ""},          {"digest", "ann:x"},
      {"digest", "malformed"}, {"ip", "127.0.0.1/8"}, {"ip", "1.2.3.4"},
      {"ip", "1.2.3.4/99"},    {"unknown", "anyone"}, {"world", "\xff"}};
  const std::uint8_t kind = bytes.next();
  if (kind < 192) return Acl::open();
  script.access_matters = true;
  std::vector<AclEntry> entries;
  for (std::uint32_t count = kind % 3; count > 0; --count) {
    const std::uint32_t permissions = bytes.below(32);
    const std::string_view* const id = kIds[bytes.below(std::size(kIds))];
    entries.emplace_back(static_cast<std::int32_t>(permissions), std::string(id[0]),
                         std::string(id[1]));
  }
  return Acl(std::move(entries));
}

Creation any_creation(Script& script, Bytes& bytes) {
  static constexpr int kTtls[] = {0, 1, 500, -1};
  const auto mode = static_cast<CreateMode>(bytes.below(7));
  Acl acl = any_acl(script, bytes);
  if (!has_ttl(mode)) return {mode, std::move(acl)};
  return {mode, std::chrono::milliseconds(bytes.one_of(kTtls)), std::move(acl)};
}

void add_op(Transaction& transaction, Script& script, Bytes& bytes) {
  const std::uint32_t kind = bytes.below(5);
  Path path = any_path(bytes);
  if (kind == 0) {
    Data data = any_data(bytes);
    Creation creation = any_creation(script, bytes);
    transaction =
        std::move(transaction).create(std::move(path), std::move(data), std::move(creation));
  } else if (kind == 1) {
    transaction = std::move(transaction).remove(std::move(path), any_version(bytes));
  } else if (kind == 2) {
    Data data = any_data(bytes);
    transaction = std::move(transaction).set_data(std::move(path), std::move(data));
  } else if (kind == 3) {
    transaction = std::move(transaction).check(std::move(path), any_version(bytes));
  } else {
    transaction.add(Request(OpCode::kSync, std::move(path)));  // A multi cannot contain this.
  }
}

void read_arguments(Step& step, Script& script, Bytes& bytes) {
  static constexpr std::string_view kSchemes[] = {"digest", "digest", "ip", "unknown"};
  static constexpr std::string_view kUsers[] = {"ann:secret", "bob:secret", "", "ann"};
  switch (step.kind) {
    case Step::Kind::kCreate:
      step.data = any_data(bytes);
      step.creation = any_creation(script, bytes);
      break;
    case Step::Kind::kRemove: step.version = any_version(bytes); break;
    case Step::Kind::kSetData:
      step.data = any_data(bytes);
      step.version = any_version(bytes);
      break;
    case Step::Kind::kSetAcl:
      step.creation.acl = any_acl(script, bytes);
      step.version = any_version(bytes);
      break;
    case Step::Kind::kMulti:
      for (std::uint32_t ops = bytes.below(kMostOps + 1); ops > 0; --ops) {
        add_op(step.transaction, script, bytes);
      }
      break;
    case Step::Kind::kAddAuth:
      step.scheme = bytes.one_of(kSchemes);
      step.data = Data(bytes.one_of(kUsers));
      break;
    default: break;
  }
}

Step read_step(Script& script, Bytes& bytes) {
  using enum Step::Kind;
  static constexpr Step::Kind kKinds[] = {
      kCreate,  kCreate,  kCreate,      kRemove,  kRemove,  kExists, kExists,
      kGetData, kGetData, kGetChildren, kSetData, kSetData, kGetAcl, kSetAcl,
      kMulti,   kMulti,   kSync,        kAddAuth, kPause,   kClose,  kRemoveWatches};
  Step step;
  const std::uint8_t flags = bytes.next();
  step.pipelined = (flags & 1) != 0;
  step.watched = (flags & 2) != 0;
  step.kept = (flags & 4) != 0;
  step.hurried = (flags & 0x38) == 0x38;
  step.worker = (flags >> 6) % script.workers;
  step.kind = bytes.one_of(kKinds);
  step.path = any_path(bytes);
  read_arguments(step, script, bytes);
  return step;
}

}  // namespace

Script read_script(Bytes& bytes) {
  Script script;
  script.workers = 1 + bytes.below(3);
  const std::uint8_t servers = bytes.next();
  script.servers.replicas = (servers & 1) != 0 ? 3 : 1;
  script.servers.ttl_enabled = (servers & 2) != 0;
  script.servers.container_check_interval = std::chrono::milliseconds(500);
  script.faults = fakezk::FaultPlan::all(bytes.below(kMostFaults + 1));
  const std::uint32_t steps = bytes.below(kMostSteps + 1);
  for (std::uint32_t i = 0; i < steps; ++i) script.steps.push_back(read_step(script, bytes));
  return script;
}

}  // namespace lockstep::fuzz
