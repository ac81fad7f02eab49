#include "lockstep/zookeeper/resolver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <map>
#include <string>
#include <vector>

namespace lockstep::zookeeper::resolver_test {

namespace {

// The flags of each question for a name, and the error that a question gets.
struct Name {
  int error;
  std::vector<int> asked;
};

std::map<std::string, Name>& names() {
  static std::map<std::string, Name> all = {{"dead-dns.test", {EAI_AGAIN, {}}},
                                            {"broken-dns.test", {EAI_FAIL, {}}},
                                            {"unknown.test", {EAI_NONAME, {}}},
                                            {"other-family.test", {EAI_ADDRFAMILY, {}}},
                                            {"no-address.test", {EAI_NODATA, {}}}};
  return all;
}

std::vector<int> asked_for(const std::string& name) {
  names().at(name).asked.clear();
  EXPECT_FALSE(resolve_by_system(name));
  return names().at(name).asked;
}

}  // namespace

// Answers for these names; other sessions of this process resolve only others.
int answer(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  const auto name = host != nullptr ? names().find(host) : names().end();
  if (name == names().end()) {
    using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(host, service, hints, found);
  }
  name->second.asked.push_back(hints->ai_flags);
  return name->second.error;
}

// A question without an answer takes the system up to half a minute.
TEST(ResolverTest, AServerOfNamesThatDoesNotAnswerIsAskedOnce) {
  EXPECT_EQ(asked_for("dead-dns.test"), std::vector<int>{AI_ADDRCONFIG});
  EXPECT_EQ(asked_for("broken-dns.test"), std::vector<int>{AI_ADDRCONFIG});
}

TEST(ResolverTest, ANameWithoutAnAddressInReachIsLookedUpAmongAll) {
  const std::vector<int> both = {AI_ADDRCONFIG, 0};
  EXPECT_EQ(asked_for("unknown.test"), both);
  EXPECT_EQ(asked_for("other-family.test"), both);
  EXPECT_EQ(asked_for("no-address.test"), both);
}

}  // namespace lockstep::zookeeper::resolver_test

// The whole process asks here, not in the C library.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* req,
                           addrinfo** pai) {
  return lockstep::zookeeper::resolver_test::answer(name, service, req, pai);
}
