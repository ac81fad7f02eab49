#pragma once

#include <cstdint>
#include <deque>
#include <utility>

#include "lockstep/connection/client_connection.h"
#include "request_log.h"

namespace lockstep::service {

class ServedWorld;

// Sees the requests and answers of one connection: logs them, and loses those whose loss is due.
class RequestFilter final : public connection::ClientConnection::Filter {
 public:
  RequestFilter(ServedWorld& world, const connection::ClientConnection& connection,
                std::uint32_t server)
      : world_(world), connection_(connection), server_(server) {}
  // Logs unanswered requests as lost.
  ~RequestFilter();
  RequestFilter(const RequestFilter&) = delete;
  RequestFilter& operator=(const RequestFilter&) = delete;

  bool request_passes(const wire::Request& request) override;
  bool answer_passes(std::int32_t xid, wire::Op op, std::int32_t error) override;

 private:
  struct Open {
    std::int32_t xid = 0;
    std::uint64_t number = 0;  // Its number in the log.
  };

  void log(const wire::Request& request);

  ServedWorld& world_;
  const connection::ClientConnection& connection_;
  std::uint32_t server_;
  std::deque<Open> open_;  // The oldest first; answers come almost in this order.
};

}  // namespace lockstep::service
