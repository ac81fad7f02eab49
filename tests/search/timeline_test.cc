#include "lockstep/search/timeline.h"

#include <gtest/gtest.h>

#include <string>

#include "hunting.h"
#include "lockstep/search/report.h"
#include "lockstep/search/version.h"

namespace lockstep::search {
namespace {

constexpr std::string_view kHostile = "</script><script>alert('1')</script>&<!--\"\\\n\x01";

// The text between the record's tags on a chronicle's page.
std::string record_in(const std::string& page) {
  const std::string_view begin = R"(<script type="application/json" id="record">)";
  const std::size_t at = page.find(begin) + begin.size();
  return page.substr(at, page.find("</script>", at) - at);
}

std::size_t count(const std::string& page, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = page.find(part); at != page.npos; at = page.find(part, at + 1)) ++found;
  return found;
}

Chronicle chronicle_of(std::string_view scenario,
                       const std::vector<fakezk::Deviation>& deviations) {
  const HuntOptions options = unit::hunt_options(scenario, 1);
  return record(*options.make_program(), options.limits, deviations).chronicle;
}

TEST(TimelineTest, EqualExecutionsGiveEqualPages) {
  const std::vector<fakezk::Deviation> deviations = {{1, fakezk::Choice{false, 1}}};
  const std::string once = timeline_page(chronicle_of(unit::kZoo01, deviations), {});
  EXPECT_EQ(once, timeline_page(chronicle_of(unit::kZoo01, deviations), {}));
  EXPECT_NE(once, timeline_page(chronicle_of(unit::kZoo01, {}), {}));
}

TEST(TimelineTest, ThePageNeedsNothingFromOutside) {
  const std::string page = timeline_page(chronicle_of(unit::kZoo01, {}), {});
  for (const std::string_view outside : {"src=", "@import", "url(", "fetch(", "XMLHttpRequest"}) {
    EXPECT_EQ(count(page, outside), 0U) << outside;
  }
  // The namespace of SVG is an address that nobody opens.
  EXPECT_EQ(count(page, "http"), count(page, "http://www.w3.org/2000/svg"));
  for (const std::string_view mark :
       {"@TITLE@", "@STYLE@", "@VERSION@", "@LANES@", "@RECORD@", "@SCRIPT@"}) {
    EXPECT_EQ(count(page, mark), 0U) << mark;
  }
}

TEST(TimelineTest, NamesCannotBecomeMarkup) {
  const std::string calm = timeline_page(chronicle_of(unit::kZoo01, {}), {});
  Chronicle chronicle = chronicle_of(unit::kZoo01, {});
  const std::string hostile(kHostile);
  for (std::string& process : chronicle.processes) process = hostile;
  for (Moment& moment : chronicle.moments) {
    moment.text = hostile;
    moment.details.push_back({"path", hostile});
  }
  for (ZnodeChange& change : chronicle.changes) {
    change.path = hostile;
    change.data = Data(std::string_view(hostile));
  }
  chronicle.violation = Violation{"user:" + hostile, hostile, 1};
  TimelineCaption caption;
  caption.title = hostile;
  caption.headline = "@SCRIPT@";  // Inserted text is no placeholder.
  caption.facts = {{hostile, hostile}};
  caption.snippets = {{hostile, hostile, true}};
  const std::string page = timeline_page(chronicle, caption);
  EXPECT_EQ(count(page, "<script"), count(calm, "<script"));
  EXPECT_EQ(count(page, "</script"), count(calm, "</script"));
  EXPECT_EQ(count(page, "<!--"), 0U);
  EXPECT_NE(record_in(page).find(R"(\u003c/script\u003e)"), std::string::npos);
}

TEST(TimelineTest, BytesThatAreNoTextAreReplaced) {
  Chronicle chronicle = chronicle_of(unit::kZoo01, {});
  const std::string_view bytes = "a\xff\xc3\xa9\xe2\x82\xed\xa0\x80z\xc0\xaf";
  chronicle.changes.front().data = Data(bytes);
  const std::string page = timeline_page(chronicle, {});
  const std::string r = "\xef\xbf\xbd";
  const std::string expected =
      "\"d\":\"a" + r + "\xc3\xa9" + r + r + r + r + r + "z" + r + r + "\"";
  EXPECT_NE(page.find(expected), std::string::npos) << record_in(page);
}

TEST(TimelineTest, TheMiddleOfAVeryLongExecutionIsLeftOut) {
  Chronicle chronicle = chronicle_of(unit::kZoo01, {});
  const std::string shorter = timeline_page(chronicle, {});
  while (chronicle.moments.size() < 100'000) chronicle.moments.push_back(chronicle.moments.front());
  const std::string page = timeline_page(chronicle, {});
  EXPECT_LT(page.size(), shorter.size() + 500'000);
  EXPECT_NE(page.find("\"i\":99999"), std::string::npos);
  EXPECT_EQ(page.find("\"i\":50000,"), std::string::npos);
}

TEST(TimelineTest, ThePageNamesTheVersion) {
  const std::string page = timeline_page(chronicle_of(unit::kZoo01, {}), {});
  EXPECT_FALSE(version().empty());
  EXPECT_EQ(count(page, ">lockstep " + std::string(version()) + "<"), 1U);
}

TEST(TimelineTest, WithoutJavaScriptTheLanesAreThere) {
  const Chronicle chronicle = chronicle_of(unit::kZoo01, {});
  const std::string page = timeline_page(chronicle, {});
  EXPECT_NE(page.find("step     time"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::search
