#include "monitor/log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "monitor/log_lines.hpp"
#include "test/unit/monitor/watch/small_cluster.hpp"

namespace aliquot {
namespace {

using namespace test;

std::vector<std::string> texts(const Step& step) {
  std::vector<std::string> all;
  for (const LogLine& line : log_lines(step, two_nodes())) all.push_back(line.text);
  return all;
}

TEST(LogLines, EachEffectIsOneLineWithItsIds) {
  Step step;
  step.number = 12;
  Submitted job = submitted(7);
  Submission submission;
  submission.demand = {4, {1'500'000}, mebibytes(128), {}, {}, true};
  submission.name = "primes";
  job.submission = submission;
  step.events = {job, NodeChanged{{1}, NodeState::suspect, "no answer for 10 s"}, Tick{}};
  step.decision = decision("EASY", true, 2, 1'500'000);
  step.actions = {create(3, 7, 4), Migrate{{{4}, {7}, {2, 1}}, {{0}}, {{1}}}};
  step.ended = {ended(5, JobResult::completed)};
  EXPECT_EQ(texts(step), (std::vector<std::string>{
                             "job_submitted job=7 uid=0 tasks=4 cpus=1.5 memory=128MiB name=\"primes\"",
                             "node_changed node=n2 state=suspect why=\"no answer for 10 s\"",
                             "plan_adopted step=12 policy=\"EASY\" changes=2 decided_ms=1.500",
                             "action_issued action=create op=3 job=7 task=0-3 node=n1 yield=1",
                             "action_issued action=migrate op=4 job=7 task=2 from=n1 to=n2",
                             "job_ended job=5 result=completed exit=0 turnaround_s=100.000 "
                             "bounded_stretch=2.000 preemptions=0 "
                             "migrations=0",
                         }));
}

TEST(LogLines, AMessageIsWholeUpToItsWayOut) {
  Step step;
  const std::string why =
      "node n2: cannot connect to qemu+ssh://n2.example.org/system: " + std::string(200, '.') +
      "; is libvirtd running there?";
  step.events = {NodeChanged{{1}, NodeState::suspect, why}};
  EXPECT_EQ(texts(step).front(), "node_changed node=n2 state=suspect why=\"" + why + "\"");
  step.events = {NodeChanged{{1}, NodeState::suspect, std::string(5000, 'x')}};
  EXPECT_LT(texts(step).front().size(), 2100u);
}

TEST(LogLines, TroubleIsRaisedToWarningsAndErrors) {
  Step step;
  Outcome failed = outcome(3, 0, 1);
  failed.error = Error{ErrorKind::timeout, "n1 did not answer"};
  step.events = {failed};
  step.decision = refused("P", "n1 by 3 bytes");
  const auto lines = log_lines(step, two_nodes());
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].level, LogLevel::warning);
  EXPECT_EQ(lines[0].text,
            "action_failed op=3 job=0 task=0 took_s=2.000 kind=timeout error=\"n1 did not answer\"");
  EXPECT_EQ(lines[1].level, LogLevel::error);
  EXPECT_TRUE(lines[1].text.starts_with("plan_refused"));
  EXPECT_EQ(lines[2].level, LogLevel::error);
}

TEST(LogLines, WordsFromOutsideCannotForgeALine) {
  Step step;
  Submitted job = submitted(7);
  Submission submission;
  submission.name = "x\"\nlevel=error job_lost job=1\x1b[2J";
  job.submission = submission;
  step.events = {job};
  const auto lines = texts(step);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
  EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
  EXPECT_NE(lines[0].find("name=\"x\\\"\\x0alevel=error"), std::string::npos) << lines[0];
}

TEST(LogLines, AQuietStepSaysNothing) {
  Step step;
  step.events = {Tick{}, Woken{}, TimerExpired{}};
  EXPECT_TRUE(log_lines(step, two_nodes()).empty());
}

TEST(TextLog, WritesWhatItsLevelLetsThroughToStandardError) {
  testing::internal::CaptureStderr();
  TextLog log("warning");
  log.say(LogLevel::info, "listening");
  log.say(LogLevel::error, "store_failed\nreason=disk");
  log.set_level("debug");
  log.say(LogLevel::debug, "seen {} %s");
  const std::string text = testing::internal::GetCapturedStderr();
  const std::string time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z";
  EXPECT_TRUE(std::regex_match(text, std::regex(time + " level=error store_failed\\\\nreason=disk\n" +
                                                time + " level=debug seen \\{\\} %s\n")))
      << text;
}

TEST(TextLog, WritesOneJsonObjectALineIfItIsToldTo) {
  testing::internal::CaptureStderr();
  TextLog log("info", LogFormat::json);
  log.say(LogLevel::warning,
          "job_ended job=7 result=completed took_s=1.500 note=\"two \\\"words\\\"\\x0a\"");
  const std::string text = testing::internal::GetCapturedStderr();
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(std::regex_match(line.at("time").get<std::string>(), std::regex("[0-9T:.-]{23}Z")));
  EXPECT_EQ(line.at("level"), "warning");
  EXPECT_EQ(line.at("event"), "job_ended");
  EXPECT_EQ(line.at("job"), 7);
  EXPECT_EQ(line.at("took_s"), 1.5);
  EXPECT_EQ(line.at("note"), "two \"words\"\n");
}

TEST(TextLog, TellsTheJournalThePriorityAndLeavesItTheTime) {
  const std::string path = testing::TempDir() + "aliquot-journal-" + std::to_string(getpid());
  const int before = dup(STDERR_FILENO);
  const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
  struct stat stream {};
  ASSERT_EQ(fstat(file, &stream), 0);
  setenv("JOURNAL_STREAM", (std::to_string(stream.st_dev) + ":" + std::to_string(stream.st_ino)).c_str(),
         1);
  dup2(file, STDERR_FILENO);
  TextLog("info").say(LogLevel::error, "store_failed");
  TextLog("info", LogFormat::json).say(LogLevel::info, "ready");
  dup2(before, STDERR_FILENO);
  TextLog elsewhere("info");
  unsetenv("JOURNAL_STREAM");
  close(before);
  close(file);
  std::ifstream written(path);
  const std::string text((std::istreambuf_iterator<char>(written)), {});
  std::filesystem::remove(path);
  EXPECT_EQ(text, "<3>level=error store_failed\n<6>{\"level\":\"info\",\"event\":\"ready\"}\n");
}

TEST(LogJson, KeepsNumbersNumbersAndEverythingElseText) {
  EXPECT_EQ(
      json_members("a x=1 y=-2.5 z=1e3 u=01 v= w=n1 k=1234567890123456789012"),
      R"("event":"a","x":1,"y":-2.5,"z":"1e3","u":"01","v":"","w":"n1","k":"1234567890123456789012")");
  EXPECT_EQ(json_members("b time=1 level=2 s='a b'"),
            R"("event":"b","its_time":1,"its_level":2,"s":"a b")");
  EXPECT_EQ(json_members("Two words, no keys"), R"("message":"Two words, no keys")");
  EXPECT_EQ(json_members("a open=\"no end"), R"("message":"a open=\"no end")");
  EXPECT_EQ(json_members("a\nb"), R"("message":"a\nb")");
  EXPECT_EQ(json_members(""), R"("message":"")");
}

}  // namespace
}  // namespace aliquot
