// Which orders a log keeps, and which it does not.
#include "differential/transcript.h"

#include <gtest/gtest.h>

namespace lockstep::differential {
namespace {

using Lines = std::vector<std::string>;

TEST(TranscriptTest, KeepsTheOrderOfRepliesAndEvents) {
  Transcript transcript;
  const std::size_t lane = transcript.add_lane("s0");
  transcript.add(lane, "#2");
  transcript.add_event(lane, "watch #1", "deleted \"/b\"");
  transcript.add_event(lane, "watch #1", "changed \"/a\"");
  transcript.add(lane, "#1");
  EXPECT_EQ(transcript.take_log()[0].lines,
            (Lines{"#2", "watch #1: deleted \"/b\"", "watch #1: changed \"/a\"", "#1"}));
}

TEST(TranscriptTest, WatchesOfTheSameEventAreASet) {
  Transcript transcript;
  const std::size_t lane = transcript.add_lane("s0");
  transcript.add_event(lane, "watch #9", "changed \"/a\"");
  transcript.add_event(lane, "watch #3", "changed \"/a\"");
  EXPECT_EQ(transcript.take_log()[0].lines,
            (Lines{"watch #3: changed \"/a\"", "watch #9: changed \"/a\""}));
}

TEST(TranscriptTest, WatchesAcrossAReplyAreNotASet) {
  Transcript transcript;
  const std::size_t lane = transcript.add_lane("s0");
  transcript.add_event(lane, "watch #9", "changed \"/a\"");
  transcript.add(lane, "#10");
  transcript.add_event(lane, "watch #3", "changed \"/a\"");
  EXPECT_EQ(transcript.take_log()[0].lines,
            (Lines{"watch #9: changed \"/a\"", "#10", "watch #3: changed \"/a\""}));
}

TEST(TranscriptTest, TheEventsOfADisorderAreASet) {
  Transcript transcript;
  const std::size_t lane = transcript.add_lane("s0");
  transcript.begin_disorder();
  transcript.add_event(lane, "watch #2", "deleted \"/b\"");
  transcript.add_event(lane, "watch #1", "deleted \"/a\"");
  transcript.end_disorder();
  transcript.begin_disorder();
  transcript.add_event(lane, "watch #0", "deleted \"/c\"");
  transcript.end_disorder();
  EXPECT_EQ(
      transcript.take_log()[0].lines,
      (Lines{"watch #1: deleted \"/a\"", "watch #2: deleted \"/b\"", "watch #0: deleted \"/c\""}));
}

}  // namespace
}  // namespace lockstep::differential
