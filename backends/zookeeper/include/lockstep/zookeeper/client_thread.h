#pragma once

#include <future>
#include <stop_token>
#include <thread>

#include "lockstep/zookeeper/client.h"
#include "lockstep/zookeeper/options.h"
#include "lockstep/zookeeper/runtime.h"

namespace lockstep::zookeeper {

// START HERE (blocking code): a Client, and a thread that runs its Runtime, for programs with
// threads of their own.
//
//   lockstep::zookeeper::ClientThread zookeeper(Options("zk1:2181,zk2:2181,zk3:2181"));
//   lockstep::blocking::FairMutex mutex(zookeeper.client(), "/locks/nightly");
//   const std::lock_guard lock(mutex);
//
// All work of the client happens on that thread; an exception that escapes there (from a listener,
// an observer) ends the program. The destructor ends the session, which may block as Client's does.
// By then no call may be blocked on the client, and no lock of it may be held.
class ClientThread {
 public:
  // Returns once the loop runs; does not wait for a connection. Throws what making a thread and a
  // Client throws.
  explicit ClientThread(Options options);
  ClientThread(const ClientThread&) = delete;
  ClientThread& operator=(const ClientThread&) = delete;
  // Does not wait in a forked child: see Runtime.
  ~ClientThread();

  // For the blocking locks, and for code that runs on its executor.
  [[nodiscard]] lockstep::Client& client() const { return *client_; }

 private:
  static Task<void> run_until_stopped(Runtime& runtime, Client& client, std::promise<Client*> runs,
                                      std::stop_token stop);

  class Loop;

  const unsigned forks_;
  Client* client_;
  std::jthread thread_;
};

}  // namespace lockstep::zookeeper
