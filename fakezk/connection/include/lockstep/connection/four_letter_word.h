#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/fakezk/server.h"

namespace lockstep::connection {

// A connection of a server, as four-letter words show it.
struct WordClient {
  std::string address;    // "127.0.0.1:54321"
  SessionId session = 0;  // 0: none yet.
  std::size_t queued = 0;
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
  bool asks = false;  // It has sent the word.
};

// The facts that the words ask a server for.
struct WordSubject {
  const fakezk::Server& servers;
  fakezk::ReplicaIndex server;
  TimePoint now;
  std::vector<WordClient> clients{};
  // Packets of all its connections, also of those that are over.
  std::uint64_t received = 0;
  std::uint64_t sent = 0;
};

// True for the first four bytes of a connection if they are a word that ZooKeeper's servers know
// (FourLetterCommands), and not the length of a frame.
[[nodiscard]] bool is_four_letter_word(std::string_view bytes);
// The answer of the server, which then closes the connection, in the format of 3.8.0: to ruok,
// srvr, stat, cons, dump, envi, isro, mntr, wchs, wchc and wchp; to other words that they are not
// in its whitelist. It measures no latencies, and shows them as 0. In an ensemble one server calls
// itself the leader, and another one in the next epoch, although the simulated leader is at no
// particular server.
[[nodiscard]] std::string answer_four_letter_word(std::string_view word,
                                                  const WordSubject& subject);

}  // namespace lockstep::connection
