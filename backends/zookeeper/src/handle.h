#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "connector.h"
#include "failure_log.h"
#include "handle_table.h"
#include "inbox.h"
#include "lockstep/request.h"
#include "lockstep/zookeeper/options.h"
#include "message.h"
#include "server_list.h"

struct _zhandle;

namespace lockstep::zookeeper {

class MultiCall;

// One handle of the C client (zhandle_t), and the thread that opens it, finds servers for it
// (Connector) and closes it. The thread is needed because all of that may block, and because
// closing inside a callback leaves the handle alive (zookeeper.h, zookeeper_close). Pushes
// everything that the handle reports into an inbox, ending with one ClosedMessage.
class Handle final : private Connector::Listener {
 public:
  // Starts to open the handle.
  Handle(const Options& options, Inbox& inbox);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  // Closes the handle and waits for that. Nothing is pushed afterwards.
  ~Handle();

  // The C client has connected: requests can be sent from now on.
  void connected(_zhandle* handle) noexcept { handle_ = handle; }

  // Whether the C client is connected now. It takes a multi only then.
  [[nodiscard]] bool is_connected() const;

  // Hands a request to the C client. Returns ZOK, or the error with which the C client refuses it;
  // after an error no reply follows. A multi without a connection is refused with ZINVALIDSTATE,
  // and anything for which there is no memory with ZMARSHALLINGERROR, as the C client does it. On
  // the loop's thread only, after connected() and before close().
  [[nodiscard]] int send(const Request& request, RequestId id) noexcept;

  // Starts closing: waits at most a moment for the replies to requests in flight, then ends the
  // session on the server. If the server may send more than these replies, makes sure of that by a
  // second connection. Does not block. Only the first call counts.
  void close(bool server_may_send_more);

  // From any thread.
  [[nodiscard]] std::string last_failure() const { return failures_.text(); }
  // Does nothing if there is no memory for it.
  void note(std::string_view subject, std::string_view reason) noexcept;
  void set_servers(std::vector<Server> servers) { connector_.set_servers(std::move(servers)); }

  // For the callbacks.
  [[nodiscard]] std::vector<OpOutcome> take_outcomes(RequestId multi);
  void deliver_reply(ReplyMessage reply);
  void deliver(Message message);
  void release_confirmed() { connector_.release_confirmed(); }

 private:
  void run();
  void attempt_failed() override { inbox_.push(AttemptFailedMessage()); }
  void given_up() override { inbox_.push(GivenUpMessage()); }
  void wait_for_replies();
  [[nodiscard]] bool server_may_send_more();
  void count_request();
  // A refused request gets no reply.
  int uncount_if_refused(int rc);
  [[nodiscard]] int send_counted(const Request& request, RequestId id);
  [[nodiscard]] int send_multi(const Request& request, RequestId id);
  void forget_multi(RequestId id);
  [[nodiscard]] int send_if_connected(MultiCall& multi, const Request& request, RequestId id);

  Inbox& inbox_;
  const HandleTable::Entry entry_{*this};
  FailureLog failures_;
  Connector connector_;
  _zhandle* handle_ = nullptr;  // The loop's thread only.

  std::mutex mutex_;
  std::condition_variable changed_;
  bool close_requested_ = false;
  bool server_may_send_more_ = false;
  std::uint64_t unanswered_ = 0;
  std::unordered_map<RequestId, std::unique_ptr<MultiCall>> multis_;

  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace lockstep::zookeeper
