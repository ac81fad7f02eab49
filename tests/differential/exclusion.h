#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::differential {

// Every way in which the fake may differ from the real server without a report, and everything that
// programs leave out for that reason. This is the only list: each use in the code names its entry
// here. The statements (Z..) are those of docs/zookeeper-semantics.md.
enum class Exclusion : std::uint8_t {
  kChildOrder,
  kExpandedAuth,
  kDeletionOrder,
  kOrderAfterAbsence,
  kWatchesOfOneEvent,
  kOrderAcrossSessions,
  kZxidOrigin,
  kClock,
  kSessionIds,
  kReaping,
  kRequestAfterSetAcl,
  kAuthAmongOthers,
  kRejection,
  kHeldBack,
  kSilence,
  kWireOnly,
};

struct ExclusionReason {
  Exclusion exclusion;
  std::string_view statement;
  std::string_view reason;
};

inline constexpr std::array kExclusions = {
    ExclusionReason{Exclusion::kChildOrder, "Z20",
                    "get_children answers in hash order: names are compared as a set"},
    ExclusionReason{Exclusion::kExpandedAuth, "Z77",
                    "an ACL entry for \"auth\" becomes one for each user, in hash order: digest "
                    "entries next to each other with the same permissions are compared as a set"},
    ExclusionReason{Exclusion::kDeletionOrder, "Z34",
                    "the ephemerals of a session that ends go in hash order: the events that one "
                    "such end sends to a session are compared as a set"},
    ExclusionReason{Exclusion::kOrderAfterAbsence, "Z46",
                    "a session that comes back registers its watches in the order of the C "
                    "client's hash tables, and missed events come in that order: as a set"},
    ExclusionReason{Exclusion::kWatchesOfOneEvent, "Z50",
                    "several watches of one session that hear the same event do so in an order "
                    "that nothing promises: as a set"},
    ExclusionReason{Exclusion::kOrderAcrossSessions, "Z44",
                    "delivery to different sessions is unordered: each session's log is compared "
                    "by itself, and two sessions never have requests in flight together"},
    ExclusionReason{Exclusion::kZxidOrigin, "Z14",
                    "the real server has served other programs before: zxids are compared as "
                    "distances from the create of the program's own znode"},
    ExclusionReason{Exclusion::kClock, "Z12",
                    "one side has real time: a Stat's times are only compared with the times "
                    "seen before for the same zxids, with which they must agree"},
    ExclusionReason{Exclusion::kSessionIds, "Z56",
                    "a server chooses them: ids are compared as numbers of the program's sessions"},
    ExclusionReason{
        Exclusion::kReaping, "Z36, Z37",
        "containers and TTL znodes are removed at a server's periodic check, not at an instant "
        "that a client knows: during a program neither side checks"},
    ExclusionReason{
        Exclusion::kRequestAfterSetAcl, "Z79",
        "a request that is sent after a set_acl may still be checked against the old "
        "ACL: nothing is sent after an unanswered set_acl, and no set_acl without a connection"},
    ExclusionReason{Exclusion::kAuthAmongOthers, "Z66, Z73",
                    "the reply to add_auth is out of band: it is not sent while another one is in "
                    "flight or without a connection, and its connection is not lost"},
    ExclusionReason{
        Exclusion::kRejection, "Z66",
        "a server that rejects a credential closes the connection, and unread requests "
        "can make the close a reset that overtakes its answer: a program with such a credential "
        "differs only if it does so in every attempt"},
    ExclusionReason{
        Exclusion::kHeldBack, "Z69",
        "the real backend does not hand a multi, and later requests, to the C client while there "
        "is no connection or an add_auth is in flight, so that the C client neither refuses them "
        "nor fails them with an attempt to connect: meanwhile no attempt fails, and no request "
        "that may be refused is sent"},
    ExclusionReason{
        Exclusion::kSilence, "Z67",
        "the C client gives up an attempt to connect that is not answered for two "
        "thirds of the session timeout: waiting requests are failed before a session expires"},
    ExclusionReason{
        Exclusion::kWireOnly, "Z21, Z25, Z27, Z47, Z79",
        "a check outside a multi, createTTL with flags without a time to live, requests "
        "of more than a megabyte, persistent watches and their removal, and operations "
        "the C client does not have cannot be asked for through a Session"},
};

}  // namespace lockstep::differential
