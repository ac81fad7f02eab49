#include "contenders.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "lockstep/threads/inside.h"

namespace lockstep::threads {

void News::tell(zhandle_t*, int type, int state, const char*, void* context) {
  auto& news = *static_cast<News*>(context);
  const std::lock_guard lock(news.mutex_);
  if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE) news.connected_ = true;
  if (type == ZOO_SESSION_EVENT && state == ZOO_EXPIRED_SESSION_STATE) news.over_ = true;
  ++news.count_;
  news.came_.notify_all();
}

void News::wait_for_connection() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [this] { return connected_ || over_; });
}

std::uint32_t News::count() {
  const std::lock_guard lock(mutex_);
  return count_;
}

void News::wait_beyond(std::uint32_t count) {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return count_ > count; });
}

bool News::is_over() {
  const std::lock_guard lock(mutex_);
  return over_;
}

namespace {

constexpr char kLock[] = "/lock";

std::optional<std::vector<std::string>> queue(zhandle_t* handle) {
  String_vector found{};
  if (zoo_get_children(handle, kLock, 0, &found) != ZOK) return std::nullopt;
  std::vector<std::string> names(found.data, found.data + found.count);
  deallocate_String_vector(&found);
  std::ranges::sort(names);
  return names;
}

// Returns false if there is nothing to wait for.
bool watch(zhandle_t* handle, const std::string& znode, Wait wait, News& news) {
  struct Stat stat{};
  if (wait == Wait::kByExistence) {
    const int error = zoo_wexists(handle, znode.c_str(), &News::tell, &news, &stat);
    return error == ZOK || error == ZNONODE;
  }
  std::array<char, 16> data{};
  int size = static_cast<int>(data.size());
  return zoo_wget(handle, znode.c_str(), &News::tell, &news, data.data(), &size, &stat) == ZOK;
}

void be_inside(zhandle_t* handle, const std::string& own) {
  Inside inside("the resource");
  struct Stat stat{};
  if (zoo_exists(handle, own.c_str(), 0, &stat) != ZOK) inside.leave();
}

void wait_and_enter(zhandle_t* handle, const std::string& own, Wait wait, News& news) {
  const std::string name = own.substr(sizeof kLock);
  while (!news.is_over()) {
    const std::uint32_t seen = news.count();
    const std::optional<std::vector<std::string>> names = queue(handle);
    if (!names) return;
    const auto place = std::ranges::find(*names, name);
    if (place == names->end()) return;
    if (place == names->begin()) return be_inside(handle, own);
    const std::string front = std::string(kLock) + '/' + *std::prev(place);
    if (watch(handle, front, wait, news)) news.wait_beyond(seen);
  }
}

}  // namespace

zhandle_t* open_handle(News& news) {
  zhandle_t* const handle =
      zookeeper_init("zk.example:2181", &News::tell, 10'000, nullptr, &news, 0);
  news.wait_for_connection();
  return handle;
}

void contend(Wait wait) {
  News news;
  zhandle_t* const handle = open_handle(news);
  contend_with(handle, news, wait);
  zookeeper_close(handle);
}

void contend_with(zhandle_t* handle, News& news, Wait wait) {
  std::array<char, 64> own{};
  const int error = zoo_create(handle, "/lock/n-", "", 0, &ZOO_OPEN_ACL_UNSAFE,
                               ZOO_EPHEMERAL | ZOO_SEQUENCE, own.data(), own.size());
  if (error == ZOK) {
    wait_and_enter(handle, own.data(), wait, news);
    zoo_delete(handle, own.data(), -1);
  }
}

}  // namespace lockstep::threads
