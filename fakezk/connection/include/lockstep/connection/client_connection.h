#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/connection/asked.h"
#include "lockstep/connection/four_letter_word.h"
#include "lockstep/fakezk/message.h"
#include "lockstep/fakezk/world.h"
#include "lockstep/wire/frames.h"
#include "lockstep/wire/op.h"
#include "lockstep/wire/request.h"

namespace lockstep::connection {

// The servers' side of one connection that speaks ZooKeeper's client protocol, over any stream of
// bytes: what the client sends is fed in, and what the servers answer is taken out. In between is
// a link of the simulated world, with its two queues: a message of the client is taken up when the
// world lets that event happen, and an answer becomes bytes when the world delivers it, so that
// faults and the orders of a hunt apply to it as to any other client.
//
// Feeding makes no event happen. A world that runs ahead of its chooser, such as a service, lets
// them happen afterwards. Belongs to the thread of its world. The world outlives it, or has ended.
class ClientConnection final : private fakezk::Endpoint {
 public:
  // Hears that an event of the world has changed the connection: it has output, or is closed.
  class Listener {
   public:
    virtual void connection_changed() = 0;

   protected:
    ~Listener() = default;
  };

  // Sees every request and every answer, and may lose it. A loss also ends the connection, because
  // a stream of bytes cannot lose a piece from its middle.
  class Filter {
   public:
    // A request that has been read; the servers have not seen it.
    virtual bool request_passes(const wire::Request& request) = 0;
    // The answer to a request, or the refusal of one that could not be read; `error` is 0 if it
    // is none.
    virtual bool answer_passes(std::int32_t xid, wire::Op op, std::int32_t error) = 0;

   protected:
    ~Filter() = default;
  };

  static constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

  // A connection over a new link, whose client belongs to `process`.
  explicit ClientConnection(fakezk::Process& process);
  // A connection over an existing link of this process whose last connection is over, for the same
  // client or another one. It keeps a service from having more links than clients at the same time.
  ClientConnection(fakezk::Process& process, fakezk::LinkIndex link);
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  // Hangs up; the servers still take up everything that they have been sent.
  ~ClientConnection();

  // Null: there is no listener. The listener outlives the connection.
  void set_listener(Listener* listener) { listener_ = listener; }

  // Null: everything passes. The filter outlives the connection.
  void set_filter(Filter* filter) { filter_ = filter; }

  // How its server describes itself to a client that sends a four-letter word instead of a
  // ConnectRequest. By default the world's open connections are its clients, at invented addresses.
  void describe_server_by(std::function<WordSubject()> describe) {
    describe_ = std::move(describe);
  }

  // How much one client may have outstanding; by default there is no bound. No frame is read while
  // this many requests whose answers may be long are unanswered, or this many bytes of output have
  // not been taken. A multiRead counts as kLongReads of them.
  struct Bounds {
    std::size_t long_answers = std::numeric_limits<std::size_t>::max();
    std::size_t output = std::numeric_limits<std::size_t>::max();
  };
  void set_bounds(const Bounds& bounds) { bounds_ = bounds; }
  static constexpr std::size_t kLongReads = 16;
  // Whether the bounds let it read.
  [[nodiscard]] bool has_room() const {
    return long_answers_ < bounds_.long_answers && output_.size() < bounds_.output;
  }
  // Reads on where bounds have stopped it, once output has been taken. True if it has read a frame,
  // or has closed the stream because of one: its listener hears nothing of either.
  bool read_on();

  // The next bytes from the client, in fragments of any size; ignored once it has been closed. What
  // follows the ConnectRequest waits until that has been answered, so a caller that reads no more
  // while unread() is large bounds the memory.
  void feed(std::string_view bytes);
  // The client has closed the stream, or the stream has broken. The servers have read the first
  // `accepted` of the messages in flight, and answer none of them. If that is all of them, a write
  // is applied later that waits behind a read which a lagging server cannot answer yet.
  void hang_up(std::uint32_t accepted = kAll);

  // The bytes for the client since the last call. There may be some after the close too.
  [[nodiscard]] std::string take_output();
  [[nodiscard]] bool has_output() const { return !output_.empty(); }
  [[nodiscard]] std::size_t output_size() const { return output_.size(); }
  // Whether no further bytes will come; the caller closes the stream once it has sent the last
  // ones.
  [[nodiscard]] bool closed() const { return closed_; }
  // The error that a client would see, if the world has ended the connection (kConnectionLoss
  // for a closed stream, kOperationTimeout for one that has fallen silent).
  [[nodiscard]] const std::optional<Error>& ended_as() const { return ended_as_; }
  // Bytes that have been fed and not yet been read.
  [[nodiscard]] std::size_t unread() const { return reader_.pending(); }
  // Requests that have been read and are not answered.
  [[nodiscard]] std::size_t unanswered() const { return asked_.size(); }

  // Whether the client has sent a ConnectRequest.
  [[nodiscard]] bool greeted() const { return greeted_; }
  // The session that it serves; 0 before it has been established.
  [[nodiscard]] SessionId session_id() const override { return session_; }
  // The session that its client wanted to resume although it is over, as the client is told; 0 if
  // there is none.
  [[nodiscard]] SessionId refused_session() const { return refused_session_; }
  // Whether the client has asked to close its session.
  [[nodiscard]] bool asked_to_close() const { return asked_to_close_; }
  // When the session expires without a sign of its client; zero before it has been established.
  [[nodiscard]] Duration session_timeout() const { return timeout_; }
  [[nodiscard]] fakezk::LinkIndex link() const { return link_; }
  // Requests read that keep a session alive: neither credentials nor SASL tokens
  // (ZooKeeperServer.processPacket answers those itself, submitRequestNow touches the session).
  [[nodiscard]] std::uint64_t signs_of_life() const { return signs_of_life_; }
  // Packets read and written.
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  void receive(fakezk::ServerMessage& message) override;
  void take_in(fakezk::ServerMessage& message);
  [[nodiscard]] bool attached() const { return world_.network().at(link_).endpoint == this; }
  [[nodiscard]] bool answer_word(std::string_view bytes);
  [[nodiscard]] WordSubject describe_server() const;
  void read_frames();
  void wait_for_answer(Asked asked);
  void answered();
  void greet(std::string_view frame);
  void take(std::string_view frame);
  void ask(const wire::Request& request);
  void ask_query(Asked asked, std::expected<fakezk::Query, Error> query);
  void answer_sasl(const wire::Request& request);
  void refuse(Asked asked, Error error);
  void send(lockstep::Request&& request);
  // Answers at the turn of this request, without asking the servers. An answer comes behind those
  // to earlier requests and credentials, and behind the events that are under way.
  void answer_in_turn(Asked asked);
  void answer_unless_waiting();
  // Those that have come to their turn, as of this zxid.
  void answer_turns(Zxid zxid);
  void accepted(const fakezk::ServerMessage& message);
  void refused();
  void replied(fakezk::ServerMessage& message);
  [[nodiscard]] Zxid zxid_of_server() const;
  void answer(std::int32_t xid, wire::Op op, std::string_view frame);
  void put(std::string_view frame) {
    ++sent_;
    wire::append_frame(output_, frame);
  }
  void close();

  fakezk::World& world_;
  fakezk::LinkIndex link_;
  Listener* listener_ = nullptr;
  Filter* filter_ = nullptr;
  wire::FrameReader reader_;
  std::string output_;
  std::deque<Asked> asked_;       // The oldest first.
  std::size_t long_answers_ = 0;  // Of these, those whose answers may be long.
  Bounds bounds_;
  std::deque<std::int32_t> asked_auths_;  // Their xids: auths overtake other requests.
  std::uint64_t auths_answered_ = 0;
  Zxid zxid_shown_ = 0;            // By the latest reply or event.
  std::optional<bool> read_only_;  // As the ConnectRequest has it: old clients have none.
  std::function<WordSubject()> describe_;
  std::string first_;  // At most four bytes, until it has been greeted.
  std::uint64_t signs_of_life_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t sent_ = 0;
  bool greeted_ = false;
  bool closed_ = false;
  std::optional<Error> ended_as_;
  SessionId asked_session_ = 0;  // The session of the ConnectRequest.
  SessionId refused_session_ = 0;
  bool asked_to_close_ = false;
  SessionId session_ = 0;
  Duration timeout_{};
};

}  // namespace lockstep::connection
