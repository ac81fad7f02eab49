#include "bench_ground.h"

#include <chrono>
#include <random>
#include <stdexcept>
#include <utility>

#include "lockstep/when_all.h"
#include "lockstep/within.h"
#include "lockstep/zookeeper/options.h"
#include "program/usage.h"

namespace lockstep::program {

namespace {

constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::seconds kPatienceAtTheEnd(3);  // The servers may be gone.

void check_created(const Result<Created>& created, const std::string& path) {
  if (created) return;
  throw std::runtime_error("bench real: " + path +
                           " cannot be created: " + std::string(name(created.error())));
}

std::string keeper_of(const std::string& lock) {
  return lock + "/" + std::string(BenchGround::kKeeper);
}

}  // namespace

BenchGround::BenchGround(const std::string& servers, std::size_t locks)
    : root_("/lockstep-bench-" + std::to_string(std::random_device()())),
      one_(root_ + "/one"),
      client_(runtime_, zookeeper::Options(servers)) {
  for (std::size_t i = 0; i < locks; ++i) many_.push_back(root_ + "/" + std::to_string(i));
  runtime_.run(make());
}

BenchGround::~BenchGround() {
  try {
    runtime_.run(remove());
  } catch (...) {  // The servers delete what is left.
  }
}

std::vector<std::string> BenchGround::all() const {
  std::vector<std::string> all = many_;
  all.push_back(one_);
  return all;
}

Task<void> BenchGround::make() {
  const Context bounds = within(runtime_, kPatience);
  const auto opened = co_await client_.session(bounds);
  if (!opened) throw UsageError("bench real: no server answers: " + client_.last_failure());
  session_ = *opened;
  const Result<Created> root =
      co_await session_->create(root_, Data(), CreateMode::kContainer, bounds);
  check_created(root, root_);
  std::vector<Task<void>> locks;
  for (const std::string& path : all()) locks.push_back(make_lock(path));
  co_await when_all(std::move(locks));
}

// A container that has never had a child would stay forever.
Task<void> BenchGround::make_lock(std::string path) {
  const Context bounds = within(runtime_, kPatience);
  auto lock = session_->create(path, Data(), CreateMode::kContainer, bounds);
  const Result<Created> keeper =
      co_await session_->create(keeper_of(path), Data(), CreateMode::kEphemeral, bounds);
  const Result<Created> created = co_await lock;
  check_created(created, path);
  check_created(keeper, keeper_of(path));
}

Task<void> BenchGround::remove() {
  const Context bounds = within(runtime_, kPatienceAtTheEnd);
  std::vector<Task<void>> locks;
  for (const std::string& path : all()) locks.push_back(remove_lock(path, bounds));
  co_await when_all(std::move(locks));
  static_cast<void>(co_await session_->remove(root_, -1, bounds));
}

// A failed measurement may have left another znode there.
Task<void> BenchGround::remove_lock(std::string path, Context bounds) {
  auto keeper = session_->remove(keeper_of(path), -1, bounds);
  static_cast<void>(co_await session_->remove(path, -1, bounds));
  static_cast<void>(co_await keeper);
}

}  // namespace lockstep::program
