// A `bench real` that does not end well leaves nothing on the servers for long.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "lockstep/zookeeper/client.h"
#include "production/operator_lab.h"

namespace lockstep {
namespace {

constexpr std::size_t kLocks = 257;

// A measurement whose znodes are below a parent of its own.
class GroundLab {
 public:
  explicit GroundLab(const std::string& name) : parent_(support::unused_path("/bench-" + name)) {
    operator_.create(parent_);
  }

  [[nodiscard]] std::vector<std::string> bench(const std::string& seconds) const {
    return lockstep_command(
        words("bench real --seconds " + seconds + " --zookeeper " + server() + parent_));
  }
  // Waits until the program has made all its locks.
  void wait_for_locks() {
    std::vector<std::string> roots;
    while (roots.empty()) roots = children_of(parent_);
    root_ = parent_ + "/" + roots.front();
    while (children_of(root_).size() < kLocks) {
    }
  }
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] std::vector<std::string> children_of(const std::string& path) {
    std::vector<std::string> names;
    runtime_.run(list(client_, path, names));
    return names;
  }
  // Removes what the servers remove when the sessions of a killed program expire.
  void expire_sessions() {
    for (const std::string& lock : children_of(root_)) {
      const std::string path = root_ + "/" + lock;
      for (const std::string& ephemeral : children_of(path)) remove(path + "/" + ephemeral);
    }
  }
  [[nodiscard]] bool is_gone() { return children_of(parent_).empty(); }
  void create(const std::string& path) { operator_.create(path); }
  void remove(const std::string& path) { runtime_.run(remove(client_, path)); }

 private:
  static std::string server() { return support::ZookeeperServer::shared().address(); }
  static Task<void> list(Client& client, Path path, std::vector<std::string>& names) {
    const auto session = co_await client.session(Context());
    const Result<Children> children = co_await (*session)->get_children(path);
    if (!children) co_return;
    for (const std::string_view name : children->names()) names.emplace_back(name);
  }

  static Task<void> remove(Client& client, Path path) {
    const auto session = co_await client.session(Context());
    const Result<void> removed = co_await (*session)->remove(path);
    EXPECT_TRUE(removed || removed.error() == Error::kNoNode) << path.view();
  }

  OperatorLab operator_;
  std::string parent_;
  std::string root_;
  zookeeper::Runtime runtime_;
  zookeeper::Client client_{runtime_, zookeeper::Options(server())};
};

// A Stat does not tell a container from another znode.
TEST(BenchGroundTest, TheServersDeleteTheLocksOfAKilledMeasurement) {
  GroundLab lab("killed");
  RunningProgram program(lab.bench("3600"));
  lab.wait_for_locks();
  program.send(SIGKILL);
  EXPECT_EQ(program.wait().signal, SIGKILL);
  while (!lab.is_gone()) lab.expire_sessions();
}

TEST(BenchGroundTest, AFailedMeasurementDeletesWhatItCan) {
  GroundLab lab("failed");
  RunningProgram program(lab.bench("1"));
  lab.wait_for_locks();
  const std::string stray = lab.root() + "/one/stray";
  lab.create(stray);
  expect_one_line(program.wait(), 70, "a znode is left");
  EXPECT_EQ(lab.children_of(lab.root()), std::vector<std::string>{"one"});
  lab.remove(stray);
}

}  // namespace
}  // namespace lockstep
