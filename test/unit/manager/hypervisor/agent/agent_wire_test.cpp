// docs/agent-wire.md is the protocol: each of its lines is read and written again, byte for byte.
#include "manager/hypervisor/agent/agent_wire.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <limits>
#include <set>

#include "test/support/small_view.hpp"

namespace aliquot::agent {
namespace {

struct Line {
  std::string side;  // "manager" or "agent"
  std::string text;
};

// `manager: {...}` and `agent: {...}` in the page.
std::vector<Line> transcript() {
  std::ifstream in(ALIQUOT_SOURCE_DIR "/docs/agent-wire.md");
  std::vector<Line> lines;
  std::string line;
  while (std::getline(in, line))
    for (const std::string side : {"manager", "agent"})
      if (line.starts_with(side + ": {")) lines.push_back({side, line.substr(side.size() + 2)});
  return lines;
}

// Returns which alternative it is.
template <class T>
std::size_t expect_same(const Result<T>& read, const std::string& text) {
  EXPECT_TRUE(read) << text << ": " << read.error().message;
  if (!read) return std::variant_npos;
  EXPECT_EQ(encode(*read), text);
  return read->index();
}

TEST(AgentWire, is_as_its_page_says) {
  std::set<std::size_t> heads, of_manager, of_agent;
  for (const Line& line : transcript()) {
    const bool is_head = line.text.find("\"head\":") != std::string::npos;
    if (is_head)
      heads.insert(expect_same(decode_head(line.text), line.text));
    else if (line.side == "manager")
      of_manager.insert(expect_same(decode_to_agent(line.text), line.text));
    else
      of_agent.insert(expect_same(decode_from_agent(line.text), line.text));
  }
  EXPECT_EQ(heads.size(), std::variant_size_v<Head>) << "a head that the page does not show";
  EXPECT_EQ(of_manager.size(), std::variant_size_v<ToAgent>) << "a message that the page does not show";
  EXPECT_EQ(of_agent.size(), std::variant_size_v<FromAgent>) << "a message that the page does not show";
}

TEST(AgentWire, refuses_what_it_does_not_know_and_says_where) {
  EXPECT_FALSE(decode_head("{}"));
  EXPECT_FALSE(decode_head("nonsense"));
  EXPECT_FALSE(decode_head(R"({"head":"hello"})"));
  const auto wrong = decode_to_agent(R"({"message":"forget","job":"seven"})");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("job"), std::string::npos);
  EXPECT_FALSE(decode_to_agent(R"({"message":"forget","job":7,"why":"?"})")) << "an unknown key";
  EXPECT_FALSE(decode_to_agent(R"({"message":"question","number":1,"subject":"weather"})"));
  EXPECT_FALSE(decode_from_agent(R"({"message":"forget","job":7})")) << "of the other side";
}

TEST(AgentWire, refuses_balloons_that_no_guest_can_have) {
  for (const std::int64_t bytes : {std::int64_t{-1}, std::int64_t{0}, mebibytes(1).raw - 1,
                                   kMostMemory.raw + 1, std::numeric_limits<std::int64_t>::max()})
    EXPECT_FALSE(decode_to_agent(encode(ToAgent{SetBalloon{{3}, 0, 1, {bytes}}}))) << bytes;
  for (const Memory memory : {mebibytes(1), mebibytes(138), kMostMemory}) {
    const auto read = decode_to_agent(encode(ToAgent{SetBalloon{{3}, 0, 1, memory}}));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(std::get<SetBalloon>(*read).memory, memory);
  }
}

TEST(AgentWire, refuses_more_of_a_terminal_than_was_agreed) {
  const std::string most(kMostTerminalBytes, 'x');
  EXPECT_TRUE(decode_to_agent(encode(ToAgent{ToTerminal{5, most, false, false}})));
  EXPECT_TRUE(decode_from_agent(encode(FromAgent{FromTerminal{5, most, 0, {}}})));
  EXPECT_FALSE(decode_to_agent(encode(ToAgent{ToTerminal{5, most + "x", false, false}})));
  EXPECT_FALSE(decode_from_agent(encode(FromAgent{FromTerminal{5, most + "x", 0, {}}})));
}

TEST(AgentWire, refuses_readings_that_no_vm_can_have_and_says_of_which_it_is) {
  const VmSample sound{
      JobId{3}, 4,           1,           5,           {2},
      1,        Duration{7}, Duration{8}, Duration{9}, GuestMemory{mebibytes(96), mebibytes(40), 5}};
  const auto is_read = [&](const std::function<void(VmSample&)>& damage) {
    VmSample sample = sound;
    damage(sample);
    Answer answer;
    answer.samples = {sound, sample};
    const auto as_answer = decode_from_agent(encode(FromAgent{answer}));
    const auto as_departed = decode_from_agent(encode(FromAgent{Departed{{sample}}}));
    EXPECT_EQ(as_answer.has_value(), as_departed.has_value());
    if (!as_answer) {
      EXPECT_NE(as_answer.error().message.find("of job 3"), std::string::npos) << as_answer.error().message;
    }
    return as_answer.has_value();
  };
  EXPECT_TRUE(is_read([](VmSample&) {}));
  EXPECT_TRUE(is_read([](VmSample& s) { s.memory->usable = {}; })) << "it has nothing left";
  EXPECT_TRUE(is_read([](VmSample& s) { s.memory->usable = s.memory->given; }));
  EXPECT_TRUE(is_read([](VmSample& s) { s.memory->given = kMostMemory; }));
  EXPECT_TRUE(is_read([](VmSample& s) { s.memory.reset(); }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.memory->given = kMostMemory + Memory{1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.memory->given = s.memory->usable - Memory{1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.memory->usable = Memory{-1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.memory->told = 0; })) << "it has said nothing yet";
  EXPECT_FALSE(is_read([](VmSample& s) { s.cpu = Duration{-1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.waited = Duration{-1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.throttled = Duration{-1}; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.vcpus = 0; }));
  EXPECT_FALSE(is_read([](VmSample& s) { s.task = kMostTasks; }));
}

TEST(AgentWire, keeps_the_calendar_and_the_identity_of_vms) {
  Hello hello;
  hello.calendar = Calendar(std::vector<Calendar::Span>{{Instant{0}, 5}, {Instant{100}, 9}});
  const auto read = decode_head(encode(Head{hello}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(std::get<Hello>(*read).calendar.unix_us({200}), 209);
  NodeSurvey survey;
  survey.ours.push_back(
      {{"c", JobId{1}, 2, 3, 4}, Uuid{0xab}, VmFact::paused, "x", mebibytes(1), cores(2)});
  const auto back = decode_from_agent(encode(FromAgent{Surveyed{survey}}));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(std::get<Surveyed>(*back).survey.ours.at(0).uuid, Uuid{0xab});
}

TEST(AgentWire, tells_where_the_memory_of_vms_is) {
  const VmIdentity vm{"c", JobId{1}, 2, 3, 4, 5};
  Answer answer;
  answer.survey.emplace().saved = {vm};
  const auto survey = decode_from_agent(encode(FromAgent{answer}));
  ASSERT_TRUE(survey) << survey.error().message;
  EXPECT_EQ(std::get<Answer>(*survey).survey->saved, std::vector{vm});
  for (const bool either : {false, true}) {
    Welcome welcome;
    welcome.saves = either;
    EXPECT_EQ(std::get<Welcome>(decode_head(encode(Head{welcome})).value()).saves, either);
    JobSpec spec;
    spec.submission = aliquot::test::submission(1, 1000, 100);
    spec.moves = either;
    EXPECT_EQ(std::get<Perform>(decode_to_agent(encode(ToAgent{Perform{{}, spec}})).value()).spec.moves,
              either);
  }
}

}  // namespace
}  // namespace aliquot::agent
