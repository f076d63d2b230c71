// What the answers say of a state made by hand. The keys are the protocol's: docs/protocol.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using test::SmallState;

TEST(ListAnswer, HasARowForEachJobWithBothClocks) {
  const SmallState small;
  const json answer = test::in_form("list", list_answer(small.state, {small.ended()}, 100, small.clock));
  ASSERT_EQ(answer["jobs"].size(), 3U);
  EXPECT_EQ(answer["more"], false);
  EXPECT_EQ(answer["now"], "2023-11-14T22:15:00.000Z");
  const json& first = answer["jobs"][0];
  EXPECT_EQ(first["job"], 1);
  EXPECT_EQ(first["state"], "running");
  EXPECT_EQ(first["yield"], 0.5);
  EXPECT_EQ(first["cpus"], 1.0);
  EXPECT_EQ(first["max_cpus"], 1.0);
  EXPECT_EQ(first["memory_bytes"], 128 << 20);
  EXPECT_EQ(first["nodes"], json::parse(R"([{"node":"n0","tasks":1},{"node":"n1","tasks":1}])"));
  EXPECT_EQ(first["submitted_at"], "2023-11-14T22:13:30.000Z");
  EXPECT_EQ(first["age_s"], 90.0);
  EXPECT_EQ(first["wait_s"], 10.0);
  EXPECT_EQ(first["virtual_s"], 40.0);
  EXPECT_EQ(first["bounded_stretch"], 2.25);
  EXPECT_EQ(answer["jobs"][1]["state"], "pending");
  EXPECT_EQ(answer["jobs"][1]["yield"], nullptr);
  EXPECT_EQ(answer["jobs"][2]["state"], "failed");
  EXPECT_EQ(answer["jobs"][2]["exit_code"], 3);
  EXPECT_EQ(answer["jobs"][2]["turnaround_s"], 60.0);
  // One form for all: a reader never has to ask whether a key is there.
  for (const json& row : answer["jobs"]) {
    EXPECT_EQ(row.size(), first.size());
    for (const auto& field : first.items()) EXPECT_TRUE(row.contains(field.key())) << field.key();
  }
}

TEST(ListAnswer, TellsOfAJobThatHasEndedWhichModelItAskedForAndWhatItHeld) {
  SmallState small;
  small.state.view.device_models = {"T4", "A100"};
  JobOutcome ended = small.ended();
  Submission asked = *ended.submission;
  asked.demand.devices = {2, kWholeDevice, DeviceModel{1}};
  ended.submission = std::move(asked);
  ended.devices = {{{1}, 0b101}, {{7}, 1}};
  const json row = test::in_form("list", list_answer(small.state, {ended}, 100, small.clock))["jobs"][2];
  EXPECT_EQ(row["asks"]["gpus"], 2);
  EXPECT_EQ(row["asks"]["gpu_model"], "A100");
  EXPECT_EQ(row["devices"], json::parse(R"([{"node":"n1","slots":[0,2]},{"node":"node 7","slots":[0]}])"));
}

TEST(ListAnswer, KeepsItsLimitAndSaysSo) {
  const SmallState small;
  const json answer = test::in_form("list", list_answer(small.state, {small.ended()}, 1, small.clock));
  EXPECT_EQ(answer["jobs"].size(), 1U);
  EXPECT_EQ(answer["more"], true);
}

// Job 4 is an array of 0-9, of which job 2 is member 5.
SmallState with_an_array() {
  SmallState small;
  Submission member = small.state.records.at({2}).submission;
  Submission array = member;
  array.array = ArrayTerms{{{0, 10, 1}}, 2};
  member.member = ArrayMember{{4}, 5};
  small.state.records.at({2}).submission = member;
  Job held = test::waiting(4, array);
  held.held = true;
  small.state.view.jobs[{4}] = held;
  JobRecord& record = small.state.records[{4}];
  record.submission = array;
  record.vms.resize(1);
  record.array = ArrayProgress{6, {{5, {2}}}, {{8, 1, 1}}, {3, 1, 1, 0}};
  return small;
}

TEST(ListAnswer, HasOneRowForAnArrayAndItsMembersWhereTheyAreAskedFor) {
  const SmallState small = with_an_array();
  const json all = test::in_form("list", list_answer(small.state, List{}, {}, small.clock))["jobs"];
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1]["job"], 4);
  EXPECT_EQ(all[1]["state"], "array");
  EXPECT_EQ(all[1]["array"], json::parse(R"({"indices":"0-9","count":10,"at_once":2,"to_come":3,
      "standing":{"pending":1},"ended":{"completed":3,"failed":1,"cancelled":2}})"));
  EXPECT_EQ(all[0]["array"], json());
  List of_array;
  of_array.array = JobId{4};
  const json members = test::in_form("list", list_answer(small.state, of_array, {}, small.clock))["jobs"];
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0]["member"], json::parse(R"({"array":4,"index":5})"));
}

TEST(WhyAnswer, OfAnArraySaysHowManyMembersAreToCome) {
  const SmallState small = with_an_array();
  const json why = test::in_form("why", *why_answer(small.state, *small.policy, {4}, small.clock));
  EXPECT_EQ(why["reason"], "array_throttle");
  EXPECT_EQ(
      why["text"],
      "It is an array: 1 of its members stands, 6 have ended, and 3 are to come; `aliquot list --array "
      "4` shows them.");
}

TEST(ShowAnswer, AddsTheProgramAndTheVms) {
  const SmallState small;
  const json answer = test::in_form("show", *show_answer(small.state, {1}, {}, small.clock));
  EXPECT_EQ(answer["program"], json::parse(R"({"kind":"hash_chain","blocks":3,"unit":9})"));
  ASSERT_EQ(answer["vms"].size(), 2U);
  EXPECT_EQ(answer["vms"][1]["node"], "n1");
  EXPECT_EQ(answer["vms"][1]["state"], "running");
  EXPECT_EQ(answer["vms"][1]["cap"], 0.5);
  const auto none = show_answer(small.state, {99}, {}, small.clock);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::not_found);
}

TEST(ShowAnswer, TellsWhatAGuestAnnouncedLastAndWasRefused) {
  SmallState small;
  EXPECT_TRUE(
      test::in_form("show", *show_answer(small.state, {1}, {}, small.clock))["evolution"].is_null());
  Evolution& its = small.state.records.at({1}).evolution;
  its.refused = {{2, 1, 1}};
  its.newest_refused = {2, 9, Instant{} + seconds(60), "at most 8"};
  const json refused =
      test::in_form("show", *show_answer(small.state, {1}, {}, small.clock))["evolution"]["refused"];
  EXPECT_EQ(refused["task"], 2);
  EXPECT_EQ(refused["tasks"], 9);
  EXPECT_EQ(refused["why"], "at most 8");
  EXPECT_FALSE(refused["at"].get<std::string>().empty());
}

TEST(WhyAnswer, IsThePolicysWordWhereNothingElseExplainsIt) {
  const SmallState small;
  const json answer = test::in_form("why", *why_answer(small.state, *small.policy, {2}, small.clock));
  EXPECT_EQ(answer["state"], "pending");
  EXPECT_EQ(answer["reason"], "memory");
  EXPECT_EQ(answer["tightest"], "memory");
  EXPECT_EQ(answer["held_by"][0]["job"], 1);
  EXPECT_EQ(answer["nodes"][0]["nodes"], 2);
  EXPECT_EQ(answer["retry_in_s"], 30.0);
}

TEST(WhyAnswer, NamesTheModeAndTheHoldBeforeThePolicy) {
  SmallState small;
  small.state.mode = Mode::off;
  EXPECT_EQ(test::in_form("why", *why_answer(small.state, *small.policy, {2}, small.clock))["reason"],
            "not_scheduled");
  small.state.view.jobs.at({2}).held = true;
  EXPECT_EQ(test::in_form("why", *why_answer(small.state, *small.policy, {2}, small.clock))["reason"],
            "held");
  EXPECT_EQ(test::in_form("why", why_answer(small.ended(), small.clock))["reason"], "ended");
  EXPECT_EQ(test::in_form("why", why_answer(small.ended(), small.clock))["text"],
            "It has ended (failed) 30s ago, 1m after it was submitted: task 0 exited with 3.");
}

// Job 1 is to be paused, but task 1 cannot be saved.
TEST(WhyAnswer, TellsOfAnActionThatFailsAndWhenItIsTriedAgain) {
  SmallState small;
  Job& job = small.state.view.jobs.at({1});
  job.phase = Phase::paused;
  JobRecord& record = small.state.records.at({1});
  record.note = "task 1: save failed: no space left on device";
  record.vms[0].state = VmState::saved;
  record.vms[1].failures = 4;
  record.vms[1].not_before = {160'000'000};
  const auto ask = [&] {
    return test::in_form("why", *why_answer(small.state, *small.policy, {1}, small.clock));
  };
  EXPECT_EQ(ask()["state"], "pausing");
  EXPECT_EQ(ask()["reason"], "in_flight");
  EXPECT_EQ(ask()["retry_in_s"], 60.0);
  EXPECT_EQ(
      ask()["text"],
      "It is pausing: its VMs are on their way to where the plan wants them. The last 4 attempts have "
      "failed (task 1: save failed: no space left on device); the next is in 1m. Meanwhile it runs on "
      "at yield 0.5.");
  job.progress.rate = {};
  record.vms[1].failures = 0;
  record.vms[1].unclear = true;
  EXPECT_EQ(ask()["text"],
            "It is pausing: its VMs are on their way to where the plan wants them. What the VM of task 1 "
            "does is not certain; its node is being asked.");
}

// Job 1 runs on n0, which does not have its VM; another program may have moved it while nothing was heard.
TEST(WhyAnswer, OfAVmThatIsLookedForNamesTheNodeThatDoesNotAnswer) {
  SmallState small;
  small.state.records.at({1}).vms[1].unclear = true;
  const auto ask = [&] {
    return test::in_form("why", *why_answer(small.state, *small.policy, {1}, small.clock));
  };
  EXPECT_NE(ask()["reason"], "node_silent");
  small.state.view.nodes[1].state = NodeState::suspect;
  EXPECT_EQ(ask()["reason"], "node_silent");
  EXPECT_EQ(
      ask()["text"],
      "What the VM of task 1 does is not certain. The nodes are being asked; node n1 does not answer, "
      "and may have it.");
  small.state.view.nodes[1].state = NodeState::fenced;
  EXPECT_NE(ask()["reason"], "node_silent");
}

TEST(WhyAnswer, OfARefusedPlanIsThatThePolicyIsAskedAgain) {
  SmallState small;
  small.state.wake_at = Instant{125'000'000};
  const PlanRefusal refused = "memory: n0 is over by 1 byte";
  const auto ask = [&](std::uint64_t job) {
    return test::in_form("why", *why_answer(small.state, *small.policy, {job}, small.clock, refused));
  };
  EXPECT_EQ(ask(2)["reason"], "not_scheduled");
  EXPECT_EQ(ask(2)["retry_in_s"], 25.0);
  EXPECT_EQ(
      ask(2)["text"],
      "The policy's last plan broke a law (memory: n0 is over by 1 byte), so nothing of it was done. "
      "The policy is asked again when something happens, at the latest in 25s; an operator may choose "
      "another with `aliquot policy set`.");
  EXPECT_EQ(ask(1)["reason"], "memory") << "what runs is not concerned";
}

TEST(NodeAnswers, SayWhatIsNeededAndGiven) {
  const SmallState small;
  const json nodes = test::in_form("node.list", node_list_answer(small.state))["nodes"];
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0]["cpus_needed"], 1.0);
  EXPECT_EQ(nodes[0]["cpus_given"], 0.5);
  EXPECT_EQ(nodes[0]["memory_used_bytes"], 192 << 20);
  EXPECT_EQ(nodes[0]["hypervisor"], "libvirt");
  EXPECT_EQ(test::in_form("node.show", *node_show_answer(small.state, "n1"))["placed"][0]["job"], 1);
  const auto none = node_show_answer(small.state, "n9");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("did you mean `n0`?"), std::string::npos) << none.error().message;
}

TEST(StatusAnswer, CountsJobsAndNodesByState) {
  const SmallState small;
  const json answer =
      test::in_form("status", status_answer(small.state, *small.policy, small.facts(), small.clock));
  EXPECT_EQ(answer["jobs"]["running"], 1);
  EXPECT_EQ(answer["jobs"]["pending"], 1);
  EXPECT_EQ(answer["jobs"]["paused"], 0);
  EXPECT_EQ(answer["nodes"]["up"], 2);
  EXPECT_EQ(answer["yield_min"], 0.5);
  EXPECT_EQ(answer["mode"], "auto");
  EXPECT_EQ(answer["last_event"], 17);
}

TEST(PolicyAnswer, ListsWhatCanBeNamed) {
  const SmallState small;
  const json answer = test::in_form(
      "policy.show", policy_answer(small.state.mode, *small.policy, {7, {2'000'000}}, "EASY", small.clock));
  EXPECT_EQ(answer["policy"], "SCRIPTED");
  EXPECT_EQ(answer["period_s"], 60.0);
  EXPECT_EQ(answer["known"].size(), known_policies().size());
  EXPECT_EQ(answer["source"], "command");
  EXPECT_EQ(answer["by_uid"], 7);
  EXPECT_EQ(answer["since"], "2023-11-14T22:13:22.000Z");
  EXPECT_EQ(answer["configured"], "EASY");
}

TEST(HelloAnswer, SaysWhoIsAskingAndTheReferenceNode) {
  SmallState small;
  small.state.view.nodes[1].capacity = cores(8);
  Settings settings;
  const auto ask = [&] {
    return test::in_form("hello",
                         hello_answer(small.state, settings, small.facts(), {1000, 5, true, false}));
  };
  EXPECT_EQ(ask()["you"]["uid"], 1000);
  EXPECT_EQ(ask()["protocol"], "ALIQUOT/1");
  EXPECT_EQ(ask()["reference"], nullptr) << "no nodes are configured";
  settings.nodes.resize(2);
  settings.nodes[0].name = "n1";
  settings.nodes[1].name = "n0";
  EXPECT_EQ(ask()["reference"], json::parse(R"({"node":"n1","cpu_microcores":8000000})")) << "the first";
  settings.reference_node = "n0";
  EXPECT_EQ(ask()["reference"]["cpu_microcores"], 1'000'000);
  small.state.view.nodes[0].capacity = {};
  EXPECT_EQ(ask()["reference"], nullptr) << "it has not said how much it has";
}

TEST(PlanAnswer, SortsChangesByWhatTheyAre) {
  const SmallState small;
  Plan plan;
  plan.changes = {{{1}, {}, {0}}, {{2}, {{{0}, 1}}, kFullYield}};
  const json answer = test::in_form(
      "plan",
      plan_answer(small.state, *small.policy, plan, {{Law::memory, "n0 is over by 1 byte"}}, small.clock));
  EXPECT_EQ(answer["pauses"][0]["job"], 1);
  EXPECT_EQ(answer["pauses"][0]["yield_before"], 0.5);
  EXPECT_EQ(answer["starts"][0]["to"], json::parse(R"([{"node":"n0","tasks":1}])"));
  EXPECT_EQ(answer["moves"], json::array());
  EXPECT_EQ(answer["refused"][0]["law"], "memory");
  plan.changes = {{{1}, {{{0}, 2}}, kFullYield}};
  const json moved = test::in_form("plan", plan_answer(small.state, *small.policy, plan, {}, small.clock));
  EXPECT_EQ(moved["moves"][0]["job"], 1);
  EXPECT_EQ(moved["waits"][0]["job"], 2);
  EXPECT_EQ(moved["waits"][0]["reason"], "memory");
}

TEST(PlanAnswer, OrdersTheActionsWithTheirCostAndSaysWhatIsGained) {
  SmallState small;
  small.state.view.costs.restart = seconds(7);
  Plan plan;
  plan.changes = {{{1}, {{{0}, 2}}, {250'000}}, {{2}, {{{1}, 1}}, kFullYield}};
  const json answer = test::in_form("plan", plan_answer(small.state, *small.policy, plan, {}, small.clock));
  EXPECT_EQ(answer["before"], json::parse(R"({"placed":1,"waiting":1,"cpus_given":1.0,"yield_min":0.5,
                                             "yield_mean":0.5})"));
  EXPECT_EQ(answer["after"], json::parse(R"({"placed":2,"waiting":0,"cpus_given":1.5,"yield_min":0.25,
                                            "yield_mean":0.625})"));
  EXPECT_EQ(answer["moves"][0]["gain_cpus"], -0.5);
  EXPECT_EQ(answer["starts"][0]["gain_cpus"], 1.0);
  EXPECT_EQ(answer["cost"]["bytes"], 192 << 20) << "one task is moved";
  EXPECT_EQ(answer["next_decision_in_s"], 20.0);
  std::vector<std::string> order;
  std::uint32_t round = 0;
  for (const json& action : answer["actions"]) {
    EXPECT_GE(action["round"], round);
    round = action["round"];
    order.push_back(action["action"].get<std::string>() + " " + action["job"].dump());
    if (action["action"] == "migrate") {
      EXPECT_EQ(action["from"], "n1");
      EXPECT_EQ(action["to"], "n0");
      EXPECT_EQ(action["stall_s"], 7.0);
    }
  }
  const auto at = [&](const char* what) { return std::find(order.begin(), order.end(), what); };
  ASSERT_NE(at("migrate 1"), order.end());
  ASSERT_NE(at("release 2"), order.end());
  EXPECT_LT(at("cap 1"), at("migrate 1")) << "caps go down first";
  EXPECT_LT(at("create 2"), at("release 2"));
}

TEST(DryRunAnswer, SaysWhereOrWhyNot) {
  const SmallState small;
  Plan plan;
  plan.changes = {{{1}, {{{0}, 2}}, {250'000}}, {{2}, {{{1}, 1}}, {250'000}}};
  Submission job = small.state.records.at({2}).submission;
  const auto ask = [&](const Plan& what) {
    return test::in_form("submit",
                         dry_run_answer(small.state.view, {2}, job, *small.policy, what, small.clock));
  };
  const json starts = ask(plan);
  EXPECT_EQ(starts["vcpus"], 1);
  job.max_need = Cpu{2'000'001};
  EXPECT_EQ(ask(plan)["vcpus"], 3);
  EXPECT_EQ(starts["starts_now"], true);
  EXPECT_EQ(starts["yield"], 0.25);
  EXPECT_EQ(starts["affects"], json::parse("[1]"));
  const json waits = ask({});
  EXPECT_EQ(waits["starts_now"], false);
  EXPECT_EQ(waits["reason"], "memory");
}

TEST(EventsAnswer, EmbedsEachEventAndSaysWhereToGoOn) {
  const SmallState small;
  const std::vector<LoggedEvent> events{{7, {1'000'000}, JobId{1}, R"({"event":"submitted"})"},
                                        {9, {2'000'000}, std::nullopt, "no json"}};
  const json answer = json::parse(events_answer(small.state.view, events, 3, 2, small.clock));
  EXPECT_EQ(answer["events"][0]["event"]["event"], "submitted");
  EXPECT_EQ(answer["events"][1]["event"], "no json");
  EXPECT_EQ(answer["events"][1]["job"], nullptr);
  EXPECT_EQ(answer["last"], 9);
  EXPECT_EQ(answer["more"], true);
  EXPECT_EQ(test::in_form("events", events_answer(small.state.view, {}, 3, 2, small.clock))["last"], 3);
}

}  // namespace
}  // namespace aliquot
