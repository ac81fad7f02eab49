#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "html_file.h"
#include "run_program.h"

namespace lockstep {
namespace {

// The record embedded in the page.
nlohmann::json record_in(const std::string& page) {
  const std::string begin = R"(<script type="application/json" id="record">)";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

ProgramRun hunt(const std::string& arguments, const HtmlFile& file) {
  std::vector<std::string> all = words("hunt " + arguments + " --html");
  all.push_back(file.name());
  return run_program(all);
}

TEST(HtmlTest, AHuntDrawsWhatItPrints) {
  const HtmlFile file;
  const ProgramRun run = hunt("zoo-07-create-without-guid --seed 5", file);
  ASSERT_EQ(run.status, 1) << run.err;
  EXPECT_NE(after("Timeline:", run.out).find(file.name()), std::string::npos);
  const nlohmann::json record = record_in(file.read());
  EXPECT_EQ(record.at("title"), "zoo-07-create-without-guid");
  EXPECT_EQ(record.at("verdict").at("oracle"), "L1");
  EXPECT_NE(run.out.find(record.at("verdict").at("message").get<std::string>()), std::string::npos);
  EXPECT_EQ(record.at("lanes").at(0), "A");
  EXPECT_NE(record.at("facts").dump().find("Shrunk to"), std::string::npos);
  EXPECT_EQ(record.at("snippets").size(), 3U);
  for (const nlohmann::json& snippet : record.at("snippets")) {
    const std::string text = snippet.at(2);
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\nis not in:\n" << run.out;
  }
}

TEST(HtmlTest, WithJsonThereIsStillOneObject) {
  const HtmlFile file;
  const ProgramRun run = hunt("zoo-07-create-without-guid --seed 5 --json", file);
  const nlohmann::json violation = run.json().at("violation");
  const nlohmann::json record = record_in(file.read());
  EXPECT_EQ(record.at("steps"), violation.at("steps"));
  EXPECT_EQ(record.at("snippets").at(2).at(2), violation.at("regression_test"));
}

TEST(HtmlTest, WithoutAViolationTheDefaultScheduleIsDrawn) {
  const HtmlFile file;
  const ProgramRun run = hunt("fair-mutex --seed 5 --executions 100", file);
  ASSERT_EQ(run.status, 0) << run.err;
  const nlohmann::json record = record_in(file.read());
  EXPECT_TRUE(record.at("verdict").is_null());
  EXPECT_EQ(record.at("headline"), "no violation in 100 executions");
  EXPECT_EQ(record.at("grants").size(), 3U);
  for (const nlohmann::json& moment : record.at("moments")) EXPECT_NE(moment.at("k"), "fault");
}

TEST(HtmlTest, EqualReplaysGiveEqualPagesAndTheHuntsRecord) {
  const HtmlFile found;
  const ProgramRun run = hunt("zoo-01-wait-after-missing-predecessor --seed 5 --json", found);
  const std::string replay = run.json().at("violation").at("replay");
  const HtmlFile once;
  const HtmlFile twice;
  EXPECT_EQ(run_program({"replay", replay, "--html", once.name()}).status, 1);
  EXPECT_EQ(run_program({"replay", replay, "--html", twice.name()}).status, 1);
  EXPECT_EQ(once.read(), twice.read());
  const nlohmann::json hunted = record_in(found.read());
  const nlohmann::json replayed = record_in(once.read());
  for (const char* part : {"moments", "changes", "grants", "watches", "verdict", "steps"}) {
    EXPECT_EQ(hunted.at(part), replayed.at(part)) << part;
  }
}

TEST(HtmlTest, AnExistingFileIsReplaced) {
  const HtmlFile file;
  std::ofstream(file.name()) << std::string(1'000'000, 'x');
  ASSERT_EQ(hunt("fair-mutex --seed 5 --executions 1", file).status, 0);
  const std::string page = file.read();
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(HtmlTest, ALinkToAFileThatIsNotThereYetStaysALink) {
  const HtmlFile file;
  const HtmlFile link;
  std::filesystem::create_symlink(file.name(), link.name());
  const ProgramRun run = hunt("fair-mutex --seed 5 --executions 1", link);
  const bool stays = std::filesystem::is_symlink(link.name());
  std::filesystem::remove(link.name());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(stays);
  EXPECT_TRUE(file.read().starts_with("<!doctype html>"));
}

TEST(HtmlTest, AFullDiskIsNoSuccess) {
  const ProgramRun run = run_program(words("hunt fair-mutex --executions 1 --html /dev/full"));
  EXPECT_EQ(run.status, 74);
  EXPECT_NE(run.err.find("/dev/full"), std::string::npos) << run.err;
}

TEST(HtmlTest, AViolationIsReportedEvenIfThePageCannotBeWritten) {
  const std::string full = " --html /dev/full";
  const std::string broken = "hunt zoo-01-wait-after-missing-predecessor --seed 1";
  const ProgramRun text = run_program(words(broken + full));
  EXPECT_EQ(text.status, 74);
  EXPECT_NE(text.out.find("breaks L1"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("Timeline:"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("/dev/full"), std::string::npos) << text.err;
  const ProgramRun json = run_program(words(broken + full + " --json"));
  EXPECT_EQ(json.status, 74);
  EXPECT_EQ(json.json().at("violation").at("oracle"), "L1");
  const ProgramRun sound = run_program(words("hunt fair-mutex --executions 1" + full));
  EXPECT_EQ(sound.status, 74);
  EXPECT_NE(sound.out.find("no violation"), std::string::npos) << sound.out;
  const ProgramRun again =
      run_program(words("replay " + words(after("Replay it:", text.out)).back() + full));
  EXPECT_EQ(again.status, 74);
  EXPECT_NE(again.out.find("Reproduced"), std::string::npos) << again.out;
}

TEST(HtmlTest, AHuntOfLimitedTimeCanBeRepeated) {
  const HtmlFile file;
  const ProgramRun run = hunt("fair-mutex --seconds 0.01 --json", file);
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string again = record_in(file.read()).at("snippets").at(0).at(2);
  const ProgramRun repeated = run_command(words(again + " --json"));
  ASSERT_EQ(repeated.status, 0) << again << '\n' << repeated.err;
  EXPECT_EQ(repeated.json().at("trace_hash"), run.json().at("trace_hash"));
}

}  // namespace
}  // namespace lockstep
