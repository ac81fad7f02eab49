// A C++ program without ZooKeeper. Its exit status says whether its process began as a new one:
//
//   objects WHAT
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::vector<int> numbers = {1, 2, 3};

// The destructors of static objects run at exit(), after the functions that main() has registered
// with atexit().
struct Last {
  ~Last() {
    if (!numbers.empty() && numbers.back() == 7) ::_exit(7);
  }
} last;

// Memory that a static object has allocated belongs to its copy alone.
int grow() {
  if (numbers != std::vector<int>{1, 2, 3}) return 3;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i);
    if (i % 100 == 0) ::sched_yield();
  }
  return numbers.size() == 1003 ? 0 : 4;
}

int look_at_environment() {
  if (::getenv("LOCKSTEP_OBJECTS")) return 5;
  ::setenv("LOCKSTEP_OBJECTS", "1", 1);
  return 0;
}

// Opens files, and leaves them open.
int open_files() {
  int file = -1;
  for (int i = 0; i < 40; ++i) file = ::open("/dev/null", O_RDONLY);
  return file >= 0 && file < 100 ? 0 : 6;
}

int look_at_folder() {
  struct stat here{};
  struct stat root{};
  ::stat(".", &here);
  ::stat("/", &root);
  if (here.st_ino == root.st_ino && here.st_dev == root.st_dev) return 9;
  return ::chdir("/");
}

// Threads that have ended cost neither time nor memory.
int start_many_threads() {
  for (int i = 0; i < 3'000; ++i) std::thread([] {}).join();
  return 0;
}

// A library's objects go with it, and not again at the end of the process.
int unload(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 3;
  static int destroyed = 0;
  *static_cast<int**>(::dlsym(library, "destroyed")) = &destroyed;
  if (::dlclose(library) != 0) return 4;
  return destroyed == 1 ? 0 : 5;
}

// Each process has its own variables of a library, which nobody has changed before.
int load(const char* path) {
  void* const library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 3;
  auto* const variable = static_cast<int**>(::dlsym(library, "destroyed"));
  if (*variable) return 10;
  static int destroyed = 0;
  *variable = &destroyed;
  ::sched_yield();
  return *variable == &destroyed ? 0 : 11;
}

// As many calls as an interpreter makes before it begins with a script.
int start_slowly() {
  std::mutex mutex;
  for (int i = 0; i < 30'000; ++i) const std::lock_guard lock(mutex);
  return 0;
}

[[noreturn]] void never_end() {
  std::mutex mutex;
  for (;;) const std::lock_guard lock(mutex);
}

// libstdc++ makes the key of such values once, and destroys it when its process ends.
int promise_at_thread_exit() {
  std::promise<int> promise;
  std::thread([&] { promise.set_value_at_thread_exit(0); }).detach();
  return promise.get_future().get();
}

// The mask stays in the kernel, and cannot be restored.
int look_at_mask() { return ::umask(077) == 077 ? 8 : 0; }

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "grow") return grow();
  if (what == "environment") return look_at_environment();
  if (what == "files") return open_files();
  if (what == "unload" && argc == 3) return unload(argv[2]);
  if (what == "load" && argc == 3) return load(argv[2]);
  if (what == "slow-start") return start_slowly();
  if (what == "no-end") never_end();
  if (what == "folder") return look_at_folder();
  if (what == "threads") return start_many_threads();
  if (what == "promise") return promise_at_thread_exit();
  if (what == "mask") return look_at_mask();
  if (what == "destructor") numbers.push_back(7);
  if (what == "atexit") std::atexit([] { ::_exit(9); });
  return 0;
}
