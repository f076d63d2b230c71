// What the codec refuses, and how it says so.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "monitor/codec.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_job.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

template <class T>
std::string why(const Result<T>& result) {
  return result ? "accepted" : result.error().message;
}

TEST(Codec, WritesADemandInItsOwnWords) {
  const Demand demand{
      .tasks = 2, .need = cores(1), .memory = mebibytes(1), .min_yield = {}, .estimate = seconds(3)};
  EXPECT_EQ(encode(demand),
            R"({"estimate":3000000,"memory":1048576,"movable":true,"need":1000000,"tasks":2})");
}

// What a store of before this setting holds.
TEST(Codec, ReadsASubmissionWithoutWhatCameLater) {
  const auto old = decode<Submission>(
      R"({"demand":{"tasks":1,"need":1500000,"memory":1,"movable":true},"guest_memory":1,)"
      R"("program":{"program":"hash_chain","blocks":1,"unit":1}})");
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->max_need, std::nullopt);
  EXPECT_EQ(vcpus_of(*old), 2U);
  EXPECT_EQ(old->on_task_failure, OnTaskFailure::fail);
}

// One model, or any, is the number that it always was.
TEST(Codec, ReadsTheModelsOfDevicesAsANumberOrAsAList) {
  const auto models = [](const std::string& text) {
    return decode<Demand>(R"({"tasks":1,"need":1,"memory":1,"movable":false,)"
                          R"("devices":{"per_node":1,"parts":1000,"model":)" +
                          text + "}}");
  };
  DeviceModels several = DeviceModel{2};
  several.add({0});
  EXPECT_EQ(models("65535")->devices.models, DeviceModels{});
  EXPECT_EQ(models("2")->devices.models, DeviceModel{2});
  EXPECT_EQ(models("[2,0]")->devices.models, several);
  for (const char* text : {"65535", "2", "[0,2]"})
    EXPECT_NE(encode(*models(text)).find(std::string(R"("model":)") + text + ","), std::string::npos);
  EXPECT_EQ(why(models("[1,2,3,4,5,6,7,8,9]")),
            "devices.model: a number, or from 1 to 8 numbers of models, is wanted");
  for (const char* bad : {"[0,65535]", "[0,65536]", "[-1]", "\"V100\"", "null", "{}"})
    EXPECT_FALSE(models(bad)) << bad;
}

TEST(Codec, SaysWhichKeyIsUnknownMissingOrOutOfRange) {
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":1,"need":1,"memory":1,"movable":true,"nede":1})")),
            "unknown key 'nede'");
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":1,"need":1,"movable":true})")), "'memory' is missing");
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":4294967296,"need":1,"memory":1,"movable":true})")),
            "tasks: the number 4294967296 is out of range");
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":-1,"need":1,"memory":1,"movable":true})")),
            "tasks: the number -1 is out of range");
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":1,"need":1.5,"memory":1,"movable":true})")),
            "need: an integer is wanted");
  EXPECT_EQ(why(decode<Demand>(R"({"tasks":1,"need":9223372036854775808,"memory":1,"movable":true})")),
            "need: the number 9223372036854775808 is out of range");
}

TEST(Codec, WritesOneNodeAsANumberAndSeveralAsAList) {
  Create create{{{9}, {1}, {0, 2}}, NodeId{3}, kFullYield};
  EXPECT_EQ(encode(Action{create}),
            R"({"action":"create","job":1,"node":3,"op":9,"tasks":{"count":2,"first":0},"yield":1000000})");
  create.nodes = NodeId{3};
  create.nodes.append(1, NodeId{4}, 2);
  EXPECT_NE(encode(Action{create}).find(R"("node":[3,4])"), std::string::npos);
}

TEST(Codec, RefusesNodesThatDoNotFitTheirTasks) {
  const auto save = [](const std::string& node) {
    return why(decode<Action>(R"({"action":"save","job":1,"node":)" + node +
                              R"(,"op":9,"tasks":{"count":2,"first":0}})"));
  };
  EXPECT_EQ(save("[3,4]"), "accepted");
  EXPECT_EQ(save("[3,4,5]"), "'node' has not one node for each task");
  EXPECT_EQ(save("[3,3]"), "node: a list of nodes that do not differ; a number says it");
  EXPECT_EQ(save("[]"), "node: a list of nodes that do not differ; a number says it");
}

TEST(Codec, NamesThePathToWhatIsBroken) {
  const auto step = decode_step(R"({"v":1,"step":1,"now":5,"events":[{"event":"tick"},{"event":"tock"}]})");
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(step.error().message, "events[1]: 'tock' is not a known word here");
}

TEST(Codec, RefusesAStepOfANewerVersionAsUnsupported) {
  const auto step = decode_step(R"({"v":4,"step":1,"now":5})");
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().kind, ErrorKind::unsupported);
}

TEST(Codec, RefusesWhatIsNoStepAtAll) {
  for (const char* text : {"", "null", "[]", "{}", "{\"v\":\"1\"}", "\xff\xfe", "{\"v\":1}", "1e999"}) {
    const auto step = decode_step(text);
    ASSERT_FALSE(step) << text;
    EXPECT_EQ(step.error().kind, ErrorKind::invalid_argument) << text;
  }
}

// The plan had all that the policy remembers.
TEST(Codec, ReadsTheWholeMemoryOfAStepOfVersion2) {
  const auto step = [](const char* adopted) {
    return decode_step(
        std::string(R"({"v":2,"step":9,"now":1,"decision":{"policy":"GREEDY","plan":{"changes":[],)"
                    R"("memory":{"retries":[[4,{"failures":2,"not_before":8}]]}},"adopted":)") +
        adopted + "}}");
  };
  PolicyMemory memory;
  memory.retries.append({3}, {});
  ASSERT_TRUE(step("true")) << step("true").error().message;
  remember(step("true")->decision->memory, memory);
  ASSERT_EQ(memory.retries.size(), 1U);
  EXPECT_EQ(memory.retries.at({4}), (Retry{2, Instant{8}}));
  EXPECT_TRUE(step("false")->decision->memory.empty());
}

TEST(Codec, KeepsArgumentsThatAreNotUtf8) {
  const Program program = LinuxCommand{{"/bin/cat", "caf\xe9"}, ""};
  const std::string text = encode(program);
  EXPECT_EQ(text, R"({"argv":["/bin/cat",{"hex":"636166e9"}],"program":"command"})");
  EXPECT_EQ(decode<Program>(text).value(), program);
}

TEST(Codec, KeepsTheWholeRangeOfVirtualTime) {
  for (const char* digits :
       {"0", "-1", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"}) {
    const std::string text =
        std::string(R"({"accrued":")") + digits + R"(","rate":0,"since":0,"stalled_until":0})";
    const Progress progress = nlohmann::json::parse(text).get<Progress>();
    EXPECT_EQ(to_line(nlohmann::json(progress)), text);
  }
}

TEST(Codec, EveryWordOfAnEnumComesBack) {
  for (const auto text : words<Reason>()) EXPECT_EQ(word(from_word<Reason>(text).value()), text);
  for (const auto text : words<Law>()) EXPECT_EQ(word(from_word<Law>(text).value()), text);
  EXPECT_FALSE(from_word<Reason>("none"));
  EXPECT_EQ(word(Event(Tick{})), "tick");
}

}  // namespace
}  // namespace aliquot
