// A C++ program without ZooKeeper whose threads wait for each other on static objects. Its exit
// status says whether another process has interfered:
//
//   statics WHAT
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool has_changed = false;
std::atomic<int> word = 0;
pollfd asked = {-1, POLLIN, 0};

int wait_for_signal() {
  std::thread other([] {
    pthread_mutex_lock(&mutex);
    has_changed = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
  });
  pthread_mutex_lock(&mutex);
  while (!has_changed) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  other.join();
  return 0;
}

int wait_for_word() {
  std::thread other([] {
    word = 1;
    word.notify_one();
  });
  word.wait(0);
  other.join();
  return 0;
}

// The events that poll() has found stay until its next call.
int wait_for_file() {
  int ends[2];
  if (::pipe(ends) != 0) return 3;
  asked.fd = ends[0];
  std::thread other([&] {
    if (::write(ends[1], "x", 1) != 1) std::exit(4);
  });
  if (::poll(&asked, 1, -1) != 1) return 5;
  other.join();
  char byte = 0;
  if (::read(ends[0], &byte, 1) != 1) return 6;
  ::close(ends[1]);
  return asked.revents == POLLIN ? 0 : 7;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "condition") return wait_for_signal();
  if (what == "futex") return wait_for_word();
  if (what == "poll") return wait_for_file();
  return 8;
}
