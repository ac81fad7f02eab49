#include "conformance/conformance.h"
#include "support/lab_fake.h"
#include "support/lab_zookeeper.h"

namespace lockstep::conformance {

Task<Created> create(Session& session, Path path, Data data, CreateMode mode) {
  const std::string what = "create " + path.string();
  co_return must(co_await session.create(std::move(path), std::move(data), mode), what);
}

Task<Stat> stat_of(Session& session, Path path) {
  const std::string what = "exists " + path.string();
  co_return must(co_await session.exists(std::move(path)), what);
}

Task<void> remove(Session& session, Path path) {
  const std::string what = "remove " + path.string();
  must(co_await session.remove(std::move(path)), what);
}

Task<Stat> set_data(Session& session, Path path, Data data) {
  const std::string what = "set_data " + path.string();
  co_return must(co_await session.set_data(std::move(path), std::move(data)), what);
}

Task<Watch> watch_data(Session& session, Path path) {
  co_return must(co_await session.get_data_watched(std::move(path)), "get_data_watched").watch;
}

Task<Watch> watch_exists(Session& session, Path path) {
  co_return must(co_await session.exists_watched(std::move(path)), "exists_watched").watch;
}

Task<Watch> watch_children(Session& session, Path path) {
  co_return must(co_await session.get_children_watched(std::move(path)), "get_children_watched")
      .watch;
}

Task<WatchEvent> event_of(const Watch& watch) { co_return must(co_await watch.fired(), "watch"); }

Task<void> settle(Session& session, Path path) {
  must(co_await session.sync(std::move(path)), "sync");
  static_cast<void>(co_await session.exists(Path()));
}

namespace {

std::string fake_name(const ::testing::TestParamInfo<Conformance::ParamType>&) { return "fake"; }

INSTANTIATE_TEST_SUITE_P(Backends, Conformance, ::testing::Values(&support::make_fake_lab),
                         fake_name);

#ifdef LOCKSTEP_WITH_ZOOKEEPER
std::string real_name(const ::testing::TestParamInfo<Conformance::ParamType>&) {
  return "zookeeper";
}

INSTANTIATE_TEST_SUITE_P(Server, Conformance, ::testing::Values(&support::make_zookeeper_lab),
                         real_name);
#endif

}  // namespace
}  // namespace lockstep::conformance
