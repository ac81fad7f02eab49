#pragma once

#include <cstdint>

#include "lockstep/wire/jute.h"

namespace lockstep::wire {

// The records of the client protocol (zookeeper.jute, modules data and proto). Records with the
// same fields are one type here.

// The parts of requests and replies.

// An identity, or a class of them.
struct Id {
  Ustring scheme{};
  Ustring id{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.scheme, self.id);
  }
  bool operator==(const Id&) const = default;
};

struct Acl {
  std::int32_t perms = 0;
  Id id{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.perms, self.id);
  }
  bool operator==(const Acl&) const = default;
};

struct Stat {
  std::int64_t czxid = 0;
  std::int64_t mzxid = 0;
  std::int64_t ctime = 0;
  std::int64_t mtime = 0;
  std::int32_t version = 0;
  std::int32_t cversion = 0;
  std::int32_t aversion = 0;
  std::int64_t ephemeral_owner = 0;
  std::int32_t data_length = 0;
  std::int32_t num_children = 0;
  std::int64_t pzxid = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.czxid, self.mzxid, self.ctime, self.mtime, self.version, self.cversion,
            self.aversion, self.ephemeral_owner, self.data_length, self.num_children, self.pzxid);
  }
  bool operator==(const Stat&) const = default;
};

struct ClientInfo {
  Ustring auth_scheme{};
  Ustring user{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.auth_scheme, self.user);
  }
  bool operator==(const ClientInfo&) const = default;
};

// Requests, by the operations that they are sent for.

// A message that is its header.
struct Nothing {
  template <class Self, class Archive>
  static void fields(Self&, Archive&) {}
  bool operator==(const Nothing&) const = default;
};

// getACL, sync, getEphemerals, getAllChildrenNumber.
struct PathRequest {
  Ustring path{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path);
  }
  bool operator==(const PathRequest&) const = default;
};

// exists, getData, getChildren, getChildren2.
struct ReadRequest {
  Ustring path{};
  bool watch = false;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.watch);
  }
  bool operator==(const ReadRequest&) const = default;
};

// delete, check.
struct VersionRequest {
  Ustring path{};
  std::int32_t version = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.version);
  }
  bool operator==(const VersionRequest&) const = default;
};

// checkWatches and removeWatches with a type of watches, addWatch with a mode.
struct WatchesRequest {
  Ustring path{};
  std::int32_t type = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.type);
  }
  bool operator==(const WatchesRequest&) const = default;
};

// create, create2, createContainer.
struct CreateRequest {
  Ustring path{};
  Buffer data{};
  Vector<Acl> acl{};
  std::int32_t flags = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.data, self.acl, self.flags);
  }
  bool operator==(const CreateRequest&) const = default;
};

struct CreateTtlRequest {
  Ustring path{};
  Buffer data{};
  Vector<Acl> acl{};
  std::int32_t flags = 0;
  std::int64_t ttl_ms = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.data, self.acl, self.flags, self.ttl_ms);
  }
  bool operator==(const CreateTtlRequest&) const = default;
};

struct SetDataRequest {
  Ustring path{};
  Buffer data{};
  std::int32_t version = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.data, self.version);
  }
  bool operator==(const SetDataRequest&) const = default;
};

struct SetAclRequest {
  Ustring path{};
  Vector<Acl> acl{};
  std::int32_t version = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.acl, self.version);
  }
  bool operator==(const SetAclRequest&) const = default;
};

struct SetWatches {
  std::int64_t relative_zxid = 0;
  Vector<Ustring> data{};
  Vector<Ustring> exist{};
  Vector<Ustring> child{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.relative_zxid, self.data, self.exist, self.child);
  }
  bool operator==(const SetWatches&) const = default;
};

struct SetWatches2 {
  std::int64_t relative_zxid = 0;
  Vector<Ustring> data{};
  Vector<Ustring> exist{};
  Vector<Ustring> child{};
  Vector<Ustring> persistent{};
  Vector<Ustring> persistent_recursive{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.relative_zxid, self.data, self.exist, self.child, self.persistent,
            self.persistent_recursive);
  }
  bool operator==(const SetWatches2&) const = default;
};

struct AuthPacket {
  std::int32_t type = 0;
  Ustring scheme{};
  Buffer auth{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.type, self.scheme, self.auth);
  }
  bool operator==(const AuthPacket&) const = default;
};

struct ReconfigRequest {
  Ustring joining_servers{};
  Ustring leaving_servers{};
  Ustring new_members{};
  std::int64_t config_id = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.joining_servers, self.leaving_servers, self.new_members, self.config_id);
  }
  bool operator==(const ReconfigRequest&) const = default;
};

// sasl, both ways.
struct Token {
  Buffer token{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.token);
  }
  bool operator==(const Token&) const = default;
};

// Replies, by the operations that they answer.

// create, sync.
struct PathReply {
  Ustring path{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path);
  }
  bool operator==(const PathReply&) const = default;
};

// create2, createContainer, createTTL.
struct Create2Reply {
  Ustring path{};
  Stat stat{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.path, self.stat);
  }
  bool operator==(const Create2Reply&) const = default;
};

// exists, setData, setACL.
struct StatReply {
  Stat stat{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.stat);
  }
  bool operator==(const StatReply&) const = default;
};

// getData, reconfig.
struct DataReply {
  Buffer data{};
  Stat stat{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.data, self.stat);
  }
  bool operator==(const DataReply&) const = default;
};

// getChildren, getEphemerals.
struct ChildrenReply {
  Vector<Ustring> children{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.children);
  }
  bool operator==(const ChildrenReply&) const = default;
};

struct Children2Reply {
  Vector<Ustring> children{};
  Stat stat{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.children, self.stat);
  }
  bool operator==(const Children2Reply&) const = default;
};

struct AclReply {
  Vector<Acl> acl{};
  Stat stat{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.acl, self.stat);
  }
  bool operator==(const AclReply&) const = default;
};

// getAllChildrenNumber.
struct NumberReply {
  std::int32_t number = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.number);
  }
  bool operator==(const NumberReply&) const = default;
};

// addWatch, and an operation of a multi.
struct ErrorReply {
  std::int32_t err = 0;

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.err);
  }
  bool operator==(const ErrorReply&) const = default;
};

struct WhoAmIReply {
  Vector<ClientInfo> clients{};

  template <class Self, class Archive>
  static void fields(Self& self, Archive& archive) {
    archive(self.clients);
  }
  bool operator==(const WhoAmIReply&) const = default;
};

}  // namespace lockstep::wire
