#include "control_port.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "control_answer.h"
#include "control_json.h"

namespace lockstep::service {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Tcp = Listener::Tcp;

// One client's connection: answers its requests one after another.
class ControlPort::Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(Tcp::socket socket, ControlPort& port) : stream_(std::move(socket)), port_(port) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    stream_.expires_after(port_.options_.time_to_ask);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (self->left_) return;
                       if (error) return self->failed(error);
                       self->answer(self->parser_->get());
                     });
  }
  void leave() {
    if (std::exchange(left_, true)) return;
    const std::shared_ptr<Visit> kept = shared_from_this();
    stream_.close();
    port_.visits_.erase(kept);
  }

 private:
  using Request = http::request<http::string_body>;
  static constexpr std::size_t kMostBody = 64UL * 1024;

  // A malformed request gets an answer too, if the client still listens.
  void failed(beast::error_code error) {
    if (error == http::error::end_of_stream || error == beast::error::timeout) return leave();
    if (error.category() != http::make_error_code(http::error::end_of_stream).category()) {
      return leave();
    }
    const unsigned status = error == http::error::body_limit ? 413 : 400;
    write(refused(status, error.message(), "a request of HTTP/1.1"), 11, false);
  }
  // A DNS name may point here from another site's page; an IP address cannot.
  static bool is_address(const std::string& host) {
    const std::string name = host.ends_with(']') ? host : host.substr(0, host.rfind(':'));
    const bool is_bracketed = name.size() > 2 && name.front() == '[' && name.back() == ']';
    boost::system::error_code error;
    boost::asio::ip::make_address(is_bracketed ? name.substr(1, name.size() - 2) : name, error);
    return !error || name == "localhost";
  }
  // Another site's page must not reach this port through its reader's browser.
  static bool is_foreign(const Request& request) {
    const auto origin = request.find(http::field::origin);
    const auto field = request.find(http::field::host);
    if (field == request.end()) return origin != request.end();
    // A page whose name has been pointed here reads without an Origin.
    const std::string host(field->value());
    if (!is_address(host)) return true;
    return origin != request.end() && std::string(origin->value()) != "http://" + host;
  }
  void answer(const Request& request) {
    const auto view = [](beast::string_view text) {
      return std::string_view(text.data(), text.size());
    };
    if (is_foreign(request)) {
      return write(refused(403, "asked by a page of another site", "an IP address or localhost"),
                   request.version(), false);
    }
    ControlAnswer answer = answer_control(port_.control_, view(request.method_string()),
                                          view(request.target()), request.body());
    write(std::move(answer), request.version(), request.keep_alive());
  }
  void write(ControlAnswer answer, unsigned version, bool keep_alive) {
    response_ = {http::int_to_status(answer.status), version};
    response_.set(http::field::content_type, {answer.type.data(), answer.type.size()});
    response_.set(http::field::cache_control, "no-store");
    response_.set("Content-Security-Policy",
                  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                  "img-src data:; frame-ancestors 'self'");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.keep_alive(keep_alive);
    // A client takes what follows the header of an answer to HEAD for the next answer.
    if (parser_->get().method() != http::verb::head) response_.body() = std::move(answer.body);
    response_.prepare_payload();
    stream_.expires_after(port_.options_.time_to_listen);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (self->left_) return;
                        const bool goes_on = !error && self->response_.keep_alive();
                        goes_on ? self->read() : self->leave();
                      });
  }

  beast::tcp_stream stream_;
  ControlPort& port_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  bool left_ = false;
};

ControlPort::ControlPort(boost::asio::io_context& context, const Tcp::endpoint& at,
                         const ControlOptions& options, Control& control)
    : control_(control), options_(options), listener_(context, at, [this](Tcp::socket socket) {
        const auto visit = std::make_shared<Visit>(std::move(socket), *this);
        visits_.insert(visit);
        visit->read();
      }) {
  listener_.start();
}

ControlPort::~ControlPort() = default;

void ControlPort::close() {
  listener_.close();
  const std::set<std::shared_ptr<Visit>> visits = visits_;
  for (const std::shared_ptr<Visit>& visit : visits) visit->leave();
}

}  // namespace lockstep::service
