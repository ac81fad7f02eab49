#pragma once

#include <string>
#include <utility>

#include "lockstep/internal/language.h"

namespace lockstep::zookeeper {

// TLS for the connections to the servers (zookeeper.h, zookeeper_init_ssl), files in PEM. Only if
// the C client that this library was built with supports it; Debian's does not. Options::defect()
// says so.
class Tls {
 public:
  Tls(std::string ca_file, std::string certificate_file, std::string key_file,
      std::string key_password = {})
      : ca(std::move(ca_file)),
        certificate(std::move(certificate_file)),
        key(std::move(key_file)),
        password(std::move(key_password)) {}

  std::string ca;
  std::string certificate;
  std::string key;
  std::string password;
};

// SASL authentication by user and password (zookeeper.h, zookeeper_init_sasl), under the same
// condition. No test covers it; DIGEST-MD5 was tried by hand (docs/production.md). The first line
// of the file is the password, and is read for each connection. The first client starts Cyrus SASL
// for the process (sasl_client_init).
class Sasl {
 public:
  Sasl(std::string user_name, std::string file_with_password)
      : user(std::move(user_name)), password_file(std::move(file_with_password)) {}

  std::string user;
  std::string password_file;
  std::string service = "zookeeper";
  std::string host = "zk-sasl-md5";  // The servers' name for DIGEST-MD5.
  std::string mechanisms = "DIGEST-MD5";
  std::string realm;  // Empty: the server's, or the first of several.
};

}  // namespace lockstep::zookeeper
