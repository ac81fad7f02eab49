// The control port's answers and actions, as JSON and over HTTP.
#include "control_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/read.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "raw_session.h"
#include "served.h"

namespace lockstep::service {
namespace {

using Json = nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class ControlJsonTest : public ::testing::Test {
 protected:
  Json get(const std::string& page) {
    const ControlAnswer answer = answer_control(control, "GET", page, "");
    EXPECT_EQ(answer.status, 200U);
    return Json::parse(answer.body);
  }
  ControlAnswer post(const std::string& body) {
    return answer_control(control, "POST", "/faults", body);
  }

  Served served;
  Control control{served.service()};
};

TEST_F(ControlJsonTest, ShowsAndStrikes) {
  RawSession ann(served.service().ports().front());
  ann.create("/a", 0);
  ann.create("/a/e-", 3);
  const Json session = get("/sessions")["sessions"][0];
  EXPECT_EQ(session["timeout_ms"], 20000);
  EXPECT_EQ(session["ephemerals"][0], "/a/e-0000000000");
  EXPECT_EQ(get("/queues")["queues"][0]["places"][0]["session"], session["id"]);
  EXPECT_EQ(get("/tree")["tree"].back()["owner"], session["id"]);
  EXPECT_EQ(get("/servers")["servers"][0]["address"], served.addresses());
  EXPECT_EQ(get("/watches")["watches"].size(), 0U);
  const ControlAnswer done = post(Json{{"fault", "expire"}, {"session", session["id"]}}.dump());
  EXPECT_EQ(done.status, 200U);
  EXPECT_EQ(Json::parse(done.body)["done"], "expire");
  EXPECT_EQ(get("/sessions")["sessions"].size(), 0U);
}

TEST_F(ControlJsonTest, ShowsTheHistoryFromAZxidOn) {
  RawSession ann(served.service().ports().front());
  ann.create("/a", 0);
  ann.create("/a/e", 1);
  const Json all = get("/history")["history"];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["kind"], "created");
  EXPECT_EQ(all[0]["path"], "/a");
  EXPECT_EQ(all[0]["owner"], Json());
  EXPECT_EQ(all[0]["session"], get("/sessions")["sessions"][0]["id"]);
  EXPECT_EQ(all[1]["owner"], all[1]["session"]);
  const std::string last = all[1]["zxid"].dump();
  EXPECT_EQ(get("/history?after=" + all[0]["zxid"].dump())["history"].size(), 1U);
  EXPECT_EQ(get("/history?after=" + last)["history"].size(), 0U);
  EXPECT_EQ(answer_control(control, "GET", "/history?after=x", "").status, 404U);
  EXPECT_EQ(get("/history?after=18446744073709551615")["history"].size(), 0U);
}

TEST_F(ControlJsonTest, ErrorsNameTheExpectedInput) {
  struct Case {
    unsigned status;
    std::string body;
    std::string error;
  };
  const std::string session = R"("session": "0x100000000000001")";
  for (const auto& [status, body, error] :
       {Case{400, "", "not JSON"},
        Case{400, "{", "not JSON"},
        Case{400, R"({"fault": "cut",})", "not JSON"},
        Case{400, "[]", "names no fault"},
        Case{400, "7", "names no fault"},
        Case{400, "{}", "names no fault"},
        Case{400, R"({"fault": 7})", "names no fault"},
        Case{400, R"({"fault": "fire"})", "no fault fire"},
        Case{400, R"({"fault": "cut"})", "\"session\" is missing"},
        Case{400, R"({"fault": "cut", "session": 7})", "\"session\" is something else"},
        Case{400, R"({"fault": "cut", "session": "7"})", "\"session\" is something else"},
        Case{400, R"({"fault": "cut", "session": "0x7g"})", "\"session\" is something else"},
        Case{400, R"({"fault": "cut", "server": 0, )" + session + "}", "does not have"},
        Case{404, R"({"fault": "cut", )" + session + "}", "no such session"},
        Case{400, R"({"fault": "refuse", "server": -1})", "\"server\" is something else"},
        Case{400, R"({"fault": "refuse", "server": 0.5})", "\"server\" is something else"},
        Case{404, R"({"fault": "refuse", "server": 9})", "no such server"},
        Case{409, R"({"fault": "change-leader"})", "only one server"},
        Case{400, R"({"fault": "set-counter", "path": "a", "next": 1})", "\"path\""},
        Case{400, R"({"fault": "set-counter", "path": "/a"})", "\"next\" is missing"},
        Case{400, R"({"fault": "set-counter", "path": "/", "next": 2147483648})", "\"next\""},
        Case{404, R"({"fault": "set-counter", "path": "/none", "next": 1})", "no znode /none"},
        Case{400, R"({"fault": "advance", "ms": 18446744073709551615})", "\"ms\""},
        Case{400, R"({"fault": "lose-reply", "kind": "creates"})", "\"kind\" is something else"},
        Case{400, R"({"fault": "lose-reply", "kind": "error"})", "\"kind\" is something else"},
        Case{400, R"({"fault": "lose-request"})", "\"kind\" is missing"},
        Case{404, R"({"fault": "lose-request", "kind": "any", )" + session + "}",
             "no such session"},
        Case{400, R"({"fault": "plan", "seed": -1, "ms": 9, "kinds": ["cut"]})", "\"seed\""},
        Case{400, R"({"fault": "plan", "seed": 1, "ms": 9, "kinds": []})", "\"kinds\""},
        Case{400, R"({"fault": "plan", "seed": 1, "ms": 9, "kinds": ["fire"]})", "\"kinds\""},
        Case{409, R"({"fault": "plan", "seed": 1, "ms": 0, "kinds": ["cut"]})", "every 1 ms"},
        Case{400, R"({"fault": "advance", "ms": -1})", "\"ms\""}}) {
    SCOPED_TRACE(body);
    const ControlAnswer answer = post(body);
    EXPECT_EQ(answer.status, status);
    const Json said = Json::parse(answer.body);
    EXPECT_THAT(said["error"].get<std::string>(), HasSubstr(error));
    EXPECT_FALSE(said["expected"].empty());
  }
}

TEST_F(ControlJsonTest, UnknownPagesAndMethodsAreErrors) {
  EXPECT_EQ(answer_control(control, "GET", "/none", "").status, 404U);
  EXPECT_EQ(answer_control(control, "POST", "/tree", "").status, 405U);
  const Json said = Json::parse(answer_control(control, "GET", "/none", "").body);
  EXPECT_EQ(said["expected"][1], "GET /sessions");
  for (const std::string page : {"/log?", "/log?after=", "/log?after=x", "/logs", "/script.js?"}) {
    EXPECT_EQ(answer_control(control, "GET", page, "").status, 404U) << page;
  }
  EXPECT_EQ(answer_control(control, "POST", "/", "").status, 405U);
}

TEST_F(ControlJsonTest, LogsRequestsAndTheirAnswers) {
  RawSession ann(served.service().ports().front());
  ann.create("/a");
  ann.exists("/none");
  const Json log = get("/log");
  ASSERT_EQ(log["log"].size(), 2U);
  const Json& created = log["log"][0];
  EXPECT_EQ(created["number"], 1);
  EXPECT_EQ(created["op"], "create");
  EXPECT_EQ(created["path"], "/a");
  EXPECT_EQ(created["answer"], "ok");
  EXPECT_EQ(created["session"], get("/sessions")["sessions"][0]["id"]);
  EXPECT_EQ(log["log"][1]["answer"], "no node");
  EXPECT_EQ(Json::parse(answer_control(control, "GET", "/log?after=1", "").body)["log"].size(), 1U);
}

TEST_F(ControlJsonTest, TakesPlansAndLosses) {
  for (const std::string body :
       {R"({"fault": "lose-reply", "kind": "any"})",
        R"({"fault": "lose-request", "kind": "whoAmI"})",
        R"({"fault": "plan", "seed": 18446744073709551615, "ms": 9, "kinds": ["cut", "lag"]})",
        R"({"fault": "calm"})"}) {
    EXPECT_EQ(post(body).status, 200U) << body;
  }
}

// The page makes its buttons from this.
TEST_F(ControlJsonTest, ListsFaultsAndShowsAPage) {
  const Json faults = get("/faults")["faults"];
  ASSERT_FALSE(faults.empty());
  for (const Json& fault : faults) EXPECT_TRUE(fault["fault"].is_string());
  const ControlAnswer page = answer_control(control, "GET", "/", "");
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_THAT(page.body, HasSubstr("<h1>lockstep serve</h1>"));
  EXPECT_THAT(answer_control(control, "GET", "/script.js", "").body, HasSubstr("fetch("));
  EXPECT_EQ(answer_control(control, "GET", "/style.css", "").type, "text/css; charset=utf-8");
}

// A znode's bytes that are no text do not break the JSON.
TEST_F(ControlJsonTest, DataMayBeAnything) {
  RawSession ann(served.service().ports().front());
  ann.create("/a");
  ann.ask(wire::Op::kSetData, wire::SetDataRequest{.path = "/a", .data = "\xff\"\n", .version = 0});
  EXPECT_EQ(get("/tree")["tree"].back()["data"], "\xef\xbf\xbd\"\n");
}

// One connection to the control port.
class ControlClient {
 public:
  explicit ControlClient(const Service& service) {
    const std::string address = service.control_address();
    const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
    socket_.connect({boost::asio::ip::address_v4::loopback(), port});
  }
  void send(const std::string& request) {
    boost::asio::write(socket_, boost::asio::buffer(request));
  }
  // Everything that comes back before the server closes the connection.
  std::string all() {
    std::string all;
    boost::system::error_code ended;
    boost::asio::read(socket_, boost::asio::dynamic_buffer(all), ended);
    return all;
  }

 private:
  boost::asio::io_context context_;
  boost::asio::ip::tcp::socket socket_{context_};
};

class ControlPortTest : public ::testing::Test {
 protected:
  std::string talk(const std::string& request) {
    ControlClient client(served.service());
    client.send(request);
    return client.all();
  }

  Served served{ServiceOptions{.control = ControlOptions{}}};
};

TEST_F(ControlPortTest, AnswersOneRequestAfterTheOther) {
  const std::string answers = talk(
      "GET /tree HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"
      "POST /faults HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Length: 1\r\n\r\n{"
      "GET /servers HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answers, HasSubstr("\"path\": \"/zookeeper\""));
  EXPECT_THAT(answers, HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(answers, HasSubstr("\"address\": \"127.0.0.1:"));
}

TEST_F(ControlPortTest, MalformedHttpIsAnsweredAndClosed) {
  EXPECT_THAT(talk("ruok\r\n\r\n"), StartsWith("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(talk("POST /faults HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(ControlPortTest, APageOfAnotherSiteIsRefused) {
  const auto post = [&](const std::string& host, const std::string& origin) {
    return talk(
        "POST /faults HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin +
        "\r\nConnection: close\r\nContent-Length: 28\r\n\r\n{\"fault\": \"advance\",\"ms\": 0}");
  };
  EXPECT_THAT(post("127.0.0.1:1", "http://example.com"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(post("127.0.0.1:1", "http://127.0.0.1:1"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(post("localhost:1", "http://localhost:1"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(post("[::1]:1", "http://[::1]:1"), StartsWith("HTTP/1.1 200 "));
  // The name of another site, which resolves to this machine.
  EXPECT_THAT(post("example.com:1", "http://example.com:1"), StartsWith("HTTP/1.1 403 "));
}

// A client would take a body for the start of the next answer.
TEST_F(ControlPortTest, AnswersToHeadHaveNoBody) {
  const std::string answers = talk(
      "HEAD /tree HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"
      "HEAD /none HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"
      "HEAD / HTTP/1.1\r\nHost: example.com:1\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answers, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(answers, HasSubstr("\r\n\r\nHTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(answers, HasSubstr("\r\n\r\nHTTP/1.1 403 Forbidden\r\n"));
  EXPECT_THAT(answers, EndsWith("\r\n\r\n"));
}

// It takes longer than the time for a request to write these bytes as JSON, and the answer is too
// long for one piece.
TEST(ControlPortPatienceTest, BeginsAnewWithTheAnswer) {
  constexpr std::size_t kAlmostAMegabyte = 1'000'000;
  Served served(
      ServiceOptions{.control = ControlOptions{.time_to_ask = std::chrono::milliseconds(200)}});
  RawSession ann(served.service().ports().front());
  for (const std::string path : {"/a", "/b", "/c", "/d", "/e", "/f"}) {
    ann.create(path);
    ann.ask(wire::Op::kSetData,
            wire::SetDataRequest{
                .path = path, .data = std::string(kAlmostAMegabyte, '\1'), .version = -1});
  }
  ControlClient client(served.service());
  client.send("GET /tree HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n");
  const std::string all = client.all();
  EXPECT_THAT(all.substr(0, 20), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(all.ends_with("\n  ]\n}\n"));
}

// A browser sends no Origin when a page reads from the site that it takes for its own.
TEST_F(ControlPortTest, AReaderThatWasLedHereByAnotherNameIsRefused) {
  const auto get_tree = [&](const std::string& host) {
    return talk("GET /tree HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");
  };
  EXPECT_THAT(get_tree("Host: example.com:1\r\n"), StartsWith("HTTP/1.1 403 "));
  for (const std::string host : {"127.0.0.1:1", "localhost:1", "localhost", "[::1]:1", "[::1]"}) {
    EXPECT_THAT(get_tree("Host: " + host + "\r\n"), StartsWith("HTTP/1.1 200 ")) << host;
  }
  EXPECT_THAT(get_tree(""), StartsWith("HTTP/1.1 200 "));
}

}  // namespace
}  // namespace lockstep::service
