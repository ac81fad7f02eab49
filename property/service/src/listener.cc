#include "listener.h"

#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace lockstep::service {

std::string text_of(const Listener::Tcp::endpoint& endpoint) {
  std::ostringstream text;
  text << endpoint;
  return text.str();
}

void cannot_listen(const std::string& where, const boost::system::error_code& error) {
  throw std::system_error(error.value(), std::system_category(), "cannot listen on " + where);
}

Listener::Listener(boost::asio::io_context& context, const Tcp::endpoint& at, Arrived arrived)
    : acceptor_(context), pause_(context), arrived_(std::move(arrived)) {
  boost::system::error_code error;
  acceptor_.open(at.protocol(), error);
  if (!error) acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(at, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) cannot_listen(text_of(at), error);
}

void Listener::close() {
  closed_ = true;
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
}

void Listener::accept() {
  acceptor_.async_accept([this](const boost::system::error_code& error, Tcp::socket socket) {
    if (closed_) return;
    if (error) return pause();
    arrived_(std::move(socket));
    accept();
  });
}

void Listener::pause() {
  pause_.expires_after(kPause);
  pause_.async_wait([this](const boost::system::error_code& error) {
    if (!error && !closed_) accept();
  });
}

}  // namespace lockstep::service
