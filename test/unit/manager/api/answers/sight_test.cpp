// What each setting of privacy leaves of the answers for the user of another job, for its owner, for an
// operator, and for a client without a ticket.
#include "manager/api/answers/sight.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "monitor/codec.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot {
namespace {

using nlohmann::json;

constexpr std::uint32_t kOwner = 1000;
const std::string kSecret = "secret-of-the-owner";

Peer peer(std::uint32_t uid, bool is_operator = false) {
  Peer made{uid, 1, true, is_operator};
  made.is_proved = true;
  return made;
}

// The three jobs of the small state belong to one user, and everything that it wrote is secret.
class Seen : public testing::Test {
 protected:
  Seen() : ended_(small_.ended()) {
    for (auto& [id, record] : small_.state.records) record.submission = of_owner(*record.submission);
    ended_.submission = of_owner(*ended_.submission);
    ended_.note = kSecret;
  }
  static Submission of_owner(Submission submission) {
    submission.uid = kOwner;
    submission.name = submission.account = kSecret;
    submission.program = LinuxCommand{{kSecret}, ""};
    return submission;
  }
  [[nodiscard]] Sight sight(const std::string& privacy, const Peer& client) const {
    return Sight(privacy, client, [](JobId) { return kOwner; });
  }
  [[nodiscard]] std::vector<LoggedEvent> log() const {
    Submitted submitted{{1}, *small_.state.records.at({1}).submission};
    ChronicleEntry end;
    end.job = JobId{1};
    end.turn = Turn::ended;
    end.text = kSecret;
    ChronicleEntry start;
    start.job = JobId{1};
    start.turn = Turn::start;
    return {{1, {}, JobId{1}, encode(Event{submitted})},
            {2, {}, JobId{1}, encode(start)},
            {3, {}, JobId{1}, encode(end)},
            {4, {}, std::nullopt, R"({"decision":"FCFS"})"},
            {5, {}, JobId{1}, R"({"action":"save","job":1,"op":3,"why":"secret-of-the-owner"})"}};
  }
  // All answers that tell of jobs; each has its form, whatever is hidden.
  [[nodiscard]] std::vector<std::string> answers(const Sight& sight) const {
    Plan plan;
    plan.changes = {{{1}, {}, {0}}, {{2}, {{{0}, 1}}, kFullYield}};
    const CoreState& state = small_.state;
    std::vector<std::string> all;
    const auto add = [&all](const char* method, const std::string& body) {
      all.push_back(body);
      if (body != "{}") test::in_form(method, body);  // nothing of it is shown
    };
    add("list", list_answer(state, {ended_}, 100, small_.clock, sight));
    add("show", *show_answer(state, {1}, std::nullopt, small_.clock, sight));
    add("show", show_answer(state.view, ended_, std::nullopt, small_.clock, sight));
    add("why", *why_answer(state, *small_.policy, {1}, small_.clock, {}, log(), sight));
    add("why", why_answer(ended_, small_.clock, state.view, log(), sight));
    add("events", events_answer(state.view, log(), 0, 100, small_.clock, sight));
    add("plan", plan_answer(state, *small_.policy, plan, {}, small_.clock, sight));
    add("node.show", *node_show_answer(state, "n0", sight));
    return all;
  }
  [[nodiscard]] std::size_t with_secret(const Sight& sight) const {
    const auto all = answers(sight);
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](const std::string& a) { return a.find(kSecret) != a.npos; }));
  }

  test::SmallState small_;
  JobOutcome ended_;
};

TEST_F(Seen, OwnersAndOperatorsSeeEverything) {
  const std::size_t all = answers({}).size();
  ASSERT_EQ(with_secret({}), all) << "each answer has a secret to hide";
  for (const char* privacy : {"open", "queue", "private"}) {
    EXPECT_EQ(with_secret(sight(privacy, peer(kOwner))), all) << privacy;
    EXPECT_EQ(with_secret(sight(privacy, peer(0, true))), all) << privacy;
  }
}

TEST_F(Seen, OthersSeeNoSecretUnlessJobsAreOpen) {
  EXPECT_EQ(with_secret(sight("open", peer(1001))), answers({}).size());
  EXPECT_EQ(with_secret(sight("queue", peer(1001))), 0U);
  EXPECT_EQ(with_secret(sight("private", peer(1001))), 0U);
}

TEST_F(Seen, AClientWithoutATicketIsNeitherOwnerNorOperator) {
  Peer owner = peer(kOwner), chief = peer(0, true);
  owner.is_proved = chief.is_proved = false;
  EXPECT_EQ(with_secret(sight("queue", owner)), 0U);
  EXPECT_EQ(with_secret(sight("queue", chief)), 0U);
  EXPECT_EQ(sight("private", chief).of(0), Sight::Part::nothing);
}

TEST_F(Seen, AQueueShowsWhoseItIsItsSizePlaceAndTimes) {
  const json listed = json::parse(answers(sight("queue", peer(1001)))[0]);
  ASSERT_EQ(listed["jobs"].size(), 3U);
  const json whole = json::parse(answers({})[0]);
  for (std::size_t i = 0; i < 3; ++i) {
    const json& row = listed["jobs"][i];
    EXPECT_EQ(row.size(), whole["jobs"][i].size()) << "all keys are there";
    for (const char* key : {"job", "uid", "state", "tasks", "cpus", "memory_bytes", "yield", "nodes",
                            "age_s", "wait_s", "virtual_s", "asks"})
      EXPECT_EQ(row[key], whole["jobs"][i][key]) << key;
    for (const char* key : {"name", "account", "note"}) EXPECT_EQ(row[key], "") << key;
    EXPECT_EQ(row["exit_code"], nullptr);
  }
}

TEST_F(Seen, AQueueShowsTurnsButNotWhatWasSubmitted) {
  const json events = json::parse(answers(sight("queue", peer(1001)))[5])["events"];
  ASSERT_EQ(events.size(), 5U);
  EXPECT_EQ(events[4]["event"], json::parse(R"({"action":"save"})"));
  EXPECT_EQ(events[0]["event"], json::parse(R"({"event":"submitted"})"));
  EXPECT_EQ(events[1]["event"]["turn"], "start");
  EXPECT_EQ(events[2]["event"]["words"], "ended");
  EXPECT_EQ(events[3]["event"]["decision"], "FCFS");
}

TEST_F(Seen, PrivateJobsAreNotThere) {
  const auto all = answers(sight("private", peer(1001)));
  EXPECT_EQ(json::parse(all[0])["jobs"], json::array());
  EXPECT_EQ(json::parse(all[5])["events"].size(), 1U) << "an event of the cluster";
  EXPECT_EQ(json::parse(all[6])["starts"], json::array());
  EXPECT_EQ(json::parse(all[7])["placed"], json::array());
  EXPECT_GT(json::parse(all[7])["tasks"], 0) << "sums remain";
}

}  // namespace
}  // namespace aliquot
