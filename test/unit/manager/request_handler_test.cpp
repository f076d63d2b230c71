// What the handler does with requests whose time has passed, and with archives.
#include "manager/request_handler.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "manager/array_members.hpp"
#include "manager/clock.hpp"
#include "manager/store/sqlite_store.hpp"
#include "monitor/sha256.hpp"
#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"

namespace aliquot {
namespace {

using std::chrono::steady_clock;

class Handler : public testing::Test {
 protected:
  Handler() {
    settings_.spool_dir = directory_.file("spool");
    settings_.api.socket = directory_.file("api.sock");
    settings_.api.events = directory_.file("events.sock");
    settings_.api.operators.clear();
    auto server = JobServer::open(settings_.api, directory_.file("keys"));
    if (!server) throw std::runtime_error(server.error().message);
    server_ = std::move(*server);
    server_->on_answer([this](const AnsweredRequest& answered) { ++answers_[answered.code]; });
    if (!store_.recover()) throw std::runtime_error("no store");
    if (!contents_.open({})) throw std::runtime_error("no spool");
    handler_ = std::make_unique<RequestHandler>(RequestHandler::Parts{
        scheduler_, store_, *server_,  *tasks_, *tasks_, *submissions_, *images_, terminals_, learning_,
        {},         input_, settings_, clock(), {},      refused_,      {},       {},         {},
        roster_,    {}});
    [[maybe_unused]] const auto step =
        scheduler_.round({}, {Submitted{{1}, test::submission(1, 1000, 100)}});
  }

  // The manager began in 1970.
  static std::function<AnswerClock()> clock() {
    return [] { return AnswerClock{{}, Calendar(std::int64_t{0})}; };
  }
  // Of an operator, `age` after it was read.
  static Incoming incoming(Request request, std::uint32_t deadline_ms, std::chrono::milliseconds age) {
    Incoming made;
    made.header.deadline_ms = deadline_ms;
    made.client.received = steady_clock::now() - age;
    made.client.method = method_name(request);
    made.peer = {0, 1, true, true};
    made.request = std::move(request);
    return made;
  }
  // With a program of these bytes.
  static Incoming submission(const std::string& archive, const std::string& sha256,
                             std::uint32_t deadline_ms) {
    Submit submit;
    submit.submission.demand.need = cores(1);
    submit.submission.guest_memory = mebibytes(96);
    submit.submission.program = LinuxCommand{{"true"}, sha256};
    submit.archive_bytes = archive.size();
    Incoming made = incoming(submit, deadline_ms, {});
    const auto owner = std::make_shared<const std::string>(archive);
    made.archive = {owner, *owner};
    return made;
  }
  // Until the background tasks have answered so often.
  void await_answers(std::size_t answers) {
    const auto given = [this] {
      std::size_t sum = 0;
      for (const auto& [code, count] : answers_) sum += count;
      return sum;
    };
    for (int i = 0; i < 500 && given() < answers; ++i) {
      for (Message& message : inbox_.drain())
        if (auto* then = std::get_if<Continuation>(&message)) then->run();
      usleep(5'000);
    }
  }

  test::TemporaryDirectory directory_;
  std::map<std::string, std::size_t> answers_;  // by code
  std::vector<std::string> images_logged_;
  Scheduler scheduler_{Cluster({test::node(0)}), make_policy("FCFS").value()};
  SqliteStore store_{directory_.file("s.db")};
  ContentStore contents_{Spool(directory_.file("spool"))};
  ImageStore stored_images_{Spool(directory_.file("spool")), contents_};
  Settings settings_;
  Inbox inbox_;
  StepInput input_;
  RefusedPlan refused_;
  std::unique_ptr<JobServer> server_;
  std::unique_ptr<BackgroundTasks> tasks_ = std::make_unique<BackgroundTasks>(inbox_);
  NodeRoster roster_{{scheduler_, store_, input_, settings_, [](NodeId) {}}, {}};
  std::unique_ptr<ImageRequests> images_ = std::make_unique<ImageRequests>(
      ImageRequests::Parts{scheduler_, stored_images_, *tasks_, inbox_, settings_,
                           [this](const std::string& line) { images_logged_.push_back(line); }});
  Terminals terminals_{{scheduler_, inbox_, {}, [](const std::string&) {}}};
  std::unique_ptr<SubmissionFiles> submissions_ =
      std::make_unique<SubmissionFiles>(*tasks_, contents_, stored_images_, settings_, inbox_);
  Learning learning_{
      {scheduler_.cluster().state(), 10, [](const std::string&) {}, [](const auto&, const auto&) {}}, {}};
  std::unique_ptr<RequestHandler> handler_;
};

TEST_F(Handler, AnotherNeedIsAnEventThatSaysWhoHasChangedIt) {
  handler_->take(incoming(SetNeed{{1}, Cpu{500'000}}, 5000, {}));
  ASSERT_EQ(input_.events.size(), 1U);
  const auto& changed = std::get<NeedChanged>(input_.events.front());
  EXPECT_EQ(changed.need, Cpu{500'000});
  EXPECT_EQ(changed.why, "uid 0 has changed its need from 1 to 0.5 cores");
  EXPECT_EQ(input_.replies.size(), 1U) << "when that is on disk";
  handler_->take(incoming(SetNeed{{1}, cores(4)}, 5000, {}));
  EXPECT_EQ(answers_["refused"], 1U);
  handler_->take(incoming(SetNeed{{1}, cores(1)}, 5000, {}));
  EXPECT_EQ(input_.events.size(), 1U) << "it needs that already";
}

TEST_F(Handler, AJobThatCouldNeverStartIsRefusedAtOnce) {
  const auto after = [](std::vector<Dependency> dependencies, bool singleton = false) {
    Submit submit;
    submit.submission.demand.need = cores(1);
    submit.submission.guest_memory = mebibytes(96);
    submit.submission.program = HashChain{3, 10};
    submit.submission.start = {std::move(dependencies), singleton, {}};
    return submit;
  };
  handler_->take(incoming(after({{{1}, Awaited::success}}), 5000, {}));
  ASSERT_EQ(input_.events.size(), 1U);
  EXPECT_EQ(std::get<Submitted>(input_.events.front()).submission->start.after.size(), 1U);
  handler_->take(incoming(after({{{99}, Awaited::end}}), 5000, {}));
  EXPECT_EQ(answers_["not_found"], 1U) << "there is no such job";
  handler_->take(incoming(after({}, true), 5000, {}));
  EXPECT_EQ(answers_["invalid_argument"], 1U) << "it has no name";
  store_.append(scheduler_.round({}, {Submitted{{2}, test::submission(1, 1000, 100)}}));  // waits for 1
  const Step step = scheduler_.round({}, {Cancelled{{2}, JobResult::cancelled, "by uid 0"}});
  ASSERT_EQ(step.ended.size(), 1U);
  store_.append(step);
  handler_->take(incoming(after({{{2}, Awaited::success}}), 5000, {}));
  EXPECT_EQ(answers_["refused"], 1U) << "it has ended, and did not complete";
  handler_->take(incoming(after({{{2}, Awaited::failure}}), 5000, {}));
  EXPECT_EQ(input_.events.size(), 2U);
}

TEST_F(Handler, MembersOfAnArrayAreCancelledAlsoBeforeTheyAreMade) {
  Submission array = test::submission(1, 1000, 100);
  array.array = ArrayTerms{{{0, 10, 1}}, 2};
  store_.append(scheduler_.round({}, {Submitted{{2}, array}}));
  handler_->take(incoming(Cancel{{2}, {{1, 3, 1}}}, 5000, {}));
  ASSERT_EQ(input_.events.size(), 1U);
  EXPECT_EQ(std::get<Cancelled>(input_.events[0]).indices, (IndexSet{{1, 3, 1}}));
  EXPECT_NE(input_.replies[0].reply.body.find("3 members cancelled"), std::string::npos);
  store_.append(scheduler_.round({}, std::exchange(input_.events, {})));
  handler_->take(incoming(Cancel{{2}, {{2, 2, 1}}}, 5000, {}));
  EXPECT_EQ(answers_["conflict"], 1U) << "they have ended, so to speak";
  handler_->take(incoming(Cancel{{2}, {{10, 5, 1}}}, 5000, {}));
  EXPECT_EQ(answers_["not_found"], 1U);
  handler_->take(incoming(Cancel{{1}, {{0, 1, 1}}}, 5000, {}));
  EXPECT_EQ(answers_["invalid_argument"], 1U) << "it is no array";
  EXPECT_TRUE(input_.events.empty());
}

TEST_F(Handler, AMemberIsFoundByItsIndexAlsoWhenItHasEnded) {
  Submission array = test::submission(1, 1000, 100);
  array.array = ArrayTerms{{{0, 10, 1}}, 2};
  store_.append(scheduler_.round({}, {Submitted{{2}, array}}));
  const auto found = [&](JobId job, std::optional<std::uint32_t> index) {
    return job_meant(scheduler_.cluster().state(), store_, Show{job, index});
  };
  EXPECT_EQ(*found({2}, {}), JobId{2});
  EXPECT_EQ(*found({2}, 1), JobId{4});
  store_.append(scheduler_.round({}, {Cancelled{{2}, JobResult::cancelled, "", {{1, 1, 1}}}}));
  EXPECT_EQ(*found({2}, 1), JobId{4}) << "it has ended";
  EXPECT_NE(found({2}, 9).error().message.find("has not been made"), std::string::npos);
  EXPECT_NE(found({2}, 10).error().message.find("has no index 10"), std::string::npos);
  EXPECT_NE(found({1}, 0).error().message.find("job 1 has no member 0"), std::string::npos);
}

TEST_F(Handler, WhatOnlyMembersHaveIsRefusedOfAnArray) {
  Submission array = test::submission(1, 1000, 100);
  array.array = ArrayTerms{{{4, 2, 1}}, 0};
  store_.append(scheduler_.round({}, {Submitted{{2}, array}}));
  std::size_t refused = 0;
  for (const Request& request :
       std::vector<Request>{SetNeed{{2}, cores(2)}, Evolve{{2}, 2, {}}, Requeue{{2}}, Logs{{2}}}) {
    handler_->take(incoming(request, 5000, {}));
    handler_->answer_waiting();
    EXPECT_EQ(answers_["conflict"], ++refused) << method_name(request);
  }
  EXPECT_TRUE(input_.events.empty());
}

TEST_F(Handler, AJobThatHasNotBegunIsNotRequeued) {
  handler_->take(incoming(Requeue{{1}}, 5000, {}));
  EXPECT_EQ(answers_["conflict"] + input_.events.size(), 1U);
}

Submit a_hash_chain() {
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(96);
  submit.submission.program = HashChain{3, 10};
  return submit;
}

TEST_F(Handler, SeveralJobsAreOneAnswerAndOneStepOrNone) {
  SubmitMany many{{a_hash_chain(), a_hash_chain(), a_hash_chain()}, "", "", 0};
  handler_->take(incoming(many, 5000, {}));
  ASSERT_EQ(input_.events.size(), 3U);
  ASSERT_EQ(input_.replies.size(), 1U);
  EXPECT_EQ(input_.replies[0].reply.body, R"({"jobs":[2,3,4]})");
  EXPECT_EQ(std::get<Submitted>(input_.events[2]).job, JobId{4});
  many.jobs[1].submission.guest_memory = mebibytes(1 << 20);
  handler_->take(incoming(many, 5000, {}));
  EXPECT_EQ(input_.events.size(), 3U) << "none of them";
  EXPECT_EQ(answers_["refused"] + answers_["too_large"], 1U);
  many.jobs[1] = a_hash_chain();
  many.jobs[1].submission.program = ImageBoot{"debian", {}, {}, {}, false};
  handler_->take(incoming(many, 5000, {}));
  EXPECT_EQ(input_.events.size(), 3U);
}

TEST_F(Handler, SeveralJobsCountAgainstTheBoundOnJobsTogether) {
  settings_.limits.max_jobs = 3;  // of which one is there
  handler_->take(
      incoming(SubmitMany{{a_hash_chain(), a_hash_chain(), a_hash_chain()}, "", "", 0}, 5000, {}));
  EXPECT_TRUE(input_.events.empty());
  handler_->take(incoming(SubmitMany{{a_hash_chain(), a_hash_chain()}, "", "", 0}, 5000, {}));
  EXPECT_EQ(input_.events.size(), 2U);
}

TEST_F(Handler, AnArchiveOfSeveralJobsIsKeptUntilTheLastOfThemHasEnded) {
  const std::string bytes(300, 'x'), sha256 = sha256_hex(bytes);
  ASSERT_TRUE(contents_.open({}));
  SubmitMany many{{a_hash_chain(), a_hash_chain(), a_hash_chain()}, "", "", bytes.size()};
  for (const std::size_t k : {0U, 2U}) many.jobs[k].submission.program = LinuxCommand{{"true"}, sha256};
  Incoming made = incoming(many, 5000, {});
  const auto owner = std::make_shared<const std::string>(bytes);
  made.archive = {owner, *owner};
  handler_->take(std::move(made));
  for (int i = 0; i < 500 && input_.replies.empty(); ++i) {
    for (Message& message : inbox_.drain())
      if (auto* then = std::get_if<Continuation>(&message)) then->run();
    usleep(5'000);
  }
  ASSERT_EQ(input_.events.size(), 3U);
  const std::string file = Spool(directory_.file("spool")).content(sha256);
  contents_.release({sha256});
  EXPECT_TRUE(std::filesystem::exists(file)) << "another job has it";
  contents_.release({sha256});
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Handler, ATimeToBeginBecomesAnInstant) {
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(96);
  submit.submission.program = HashChain{3, 10};
  submit.begin_unix_us = 60'000'000;
  handler_->take(incoming(submit, 5000, {}));
  ASSERT_EQ(input_.events.size(), 1U);
  EXPECT_EQ(std::get<Submitted>(input_.events.front()).submission->start.begin, Instant{} + seconds(60));
}

TEST_F(Handler, AnotherNumberOfTasksIsAnEventThatSaysWhoHasAskedForIt) {
  handler_->take(incoming(Evolve{{1}, 2, seconds(60)}, 5000, {}));
  ASSERT_EQ(input_.events.size(), 1U);
  const auto& changed = std::get<TasksChanged>(input_.events.front());
  EXPECT_EQ(changed.tasks, 2U);
  EXPECT_EQ(changed.at, scheduler_.cluster().view().now + seconds(60));
  EXPECT_EQ(changed.why, "uid 0 has asked for it");
  EXPECT_EQ(input_.replies.size(), 1U) << "when that is on disk";
  handler_->take(incoming(Evolve{{1}, 100'000, {}}, 5000, {}));
  EXPECT_EQ(answers_["too_large"] + answers_["refused"], 1U);
}

TEST_F(Handler, ARequestWhoseDeadlineHasPassedIsNotCarriedOut) {
  handler_->take(incoming(Cancel{{1}}, 500, std::chrono::milliseconds(600)));
  EXPECT_TRUE(input_.empty()) << "the client has given up";
  EXPECT_EQ(answers_["timeout"], 1U);
  handler_->take(incoming(Cancel{{1}}, 5000, std::chrono::milliseconds(600)));
  EXPECT_EQ(input_.events.size(), 1U);
}

// As after a pause of the whole process: the request is read at once, and is old all the same.
TEST_F(Handler, TheDeadlineCountsFromTheSending) {
  Incoming old = incoming(Cancel{{1}}, 500, {});
  old.header.sent_us = LiveClock::wall_us() - 600'000;
  handler_->take(std::move(old));
  EXPECT_TRUE(input_.empty());
  EXPECT_EQ(answers_["timeout"], 1U);
  Incoming of_the_future = incoming(Cancel{{1}}, 500, {});
  of_the_future.header.sent_us = LiveClock::wall_us() + 3'600'000'000;
  handler_->take(std::move(of_the_future));
  EXPECT_EQ(input_.events.size(), 1U);
}

TEST_F(Handler, OfARemoteClientWhoseClockIsBehindItCountsFromTheReading) {
  Incoming remote = incoming(Cancel{{1}}, 500, {});
  remote.header.sent_us = LiveClock::wall_us() - 3'600'000'000;
  remote.peer.key = "laptop";
  handler_->take(std::move(remote));
  EXPECT_EQ(input_.events.size(), 1U);
}

TEST_F(Handler, ASubmissionWhoseDeadlinePassesWhileItsArchiveIsStoredIsNoJob) {
  tasks_->run([]() -> std::function<void()> {
    usleep(300'000);
    return {};
  });
  handler_->take(submission("program", sha256_hex("program"), 100));
  await_answers(1);
  EXPECT_EQ(answers_["timeout"], 1U);
  EXPECT_TRUE(input_.empty());
  for (int i = 0; i < 200 && !std::filesystem::is_empty(directory_.file("spool/content")); ++i)
    usleep(5'000);
  EXPECT_TRUE(std::filesystem::is_empty(directory_.file("spool/content"))) << "nor is its archive kept";
}

TEST_F(Handler, AnArchiveOfAnotherContentIsNoJob) {
  handler_->take(submission("program", sha256_hex("another"), 60'000));
  await_answers(1);
  EXPECT_EQ(answers_["invalid_argument"], 1U);
  EXPECT_TRUE(input_.empty());
  EXPECT_TRUE(std::filesystem::is_empty(directory_.file("spool/content")));
}

TEST_F(Handler, ArchivesInWorkAreBounded) {
  settings_.api.max_request = mebibytes(1);
  tasks_->run([]() -> std::function<void()> {
    usleep(100'000);
    return {};
  });
  const std::string archive(1 << 19, 'x');
  for (int i = 0; i < 6; ++i) handler_->take(submission(archive, sha256_hex(archive), 60'000));
  EXPECT_EQ(answers_["unavailable"], 2U) << "four of them are twice the largest request";
  for (int i = 0; i < 500 && input_.events.size() < 4; ++i) await_answers(6);
  EXPECT_EQ(input_.events.size(), 4U);
}

TEST_F(Handler, ARepeatedRequestIsAnsweredWhenTheFirstIsOnDisk) {
  const auto take = [&] {
    Incoming submit = submission("", "", 60'000);
    std::get<Submit>(submit.request).idempotency_key = "k";
    std::get<Submit>(submit.request).submission.program = HashChain{1, 1};
    handler_->take(std::move(submit));
  };
  take();
  take();
  ASSERT_EQ(input_.replies.size(), 1U);
  EXPECT_TRUE(answers_.empty()) << "it is not on disk yet";
  handler_->deliver(input_.replies.front());
  EXPECT_EQ(answers_["ok"], 2U);
}

// Two connections, one of which asks a hundred times: the other is answered second.
TEST(FairQueue, ServesItsSourcesInTurns) {
  FairQueue<std::string, int> queue(100, 1000);
  for (int i = 0; i < 100; ++i) queue.push("busy", i);
  EXPECT_FALSE(queue.accepts("busy"));
  ASSERT_TRUE(queue.accepts("other"));
  queue.push("other", 1000);
  EXPECT_EQ(queue.pop(), 0);
  EXPECT_EQ(queue.pop(), 1000);
  for (int i = 1; i < 100; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.pop());
}

TEST(FairQueue, PassesOverASourceThatMayNotGo) {
  FairQueue<std::string, int> queue(100, 1000);
  queue.push("slow", 1);
  queue.push("other", 2);
  const auto is_even = [](int item) { return item % 2 == 0; };
  EXPECT_TRUE(queue.has(is_even));
  EXPECT_EQ(queue.pop(is_even), 2);
  EXPECT_FALSE(queue.has(is_even));
  EXPECT_FALSE(queue.pop(is_even));
  EXPECT_EQ(queue.pop(), 1);
}

TEST_F(Handler, AUserHasOneImageCopiedAtATime) {
  const std::string root = directory_.file("root");
  std::filesystem::create_directories(root);
  std::ofstream(root + "/disk.img") << std::string(4096, 'd');
  settings_.files.roots = {root};
  ASSERT_TRUE(stored_images_.open());
  const auto add = [&](const char* name) {
    Incoming made = incoming(ImageAdd{{name}, root + "/disk.img"}, 60'000, {});
    made.peer.uid = ::geteuid();
    made.peer.gid = ::getegid();
    return made;
  };
  handler_->take(add("first"));
  handler_->take(add("second"));  // the first one has not come back to the loop
  EXPECT_EQ(answers_["unavailable"], 1U);
  await_answers(2);
  EXPECT_EQ(answers_["ok"], 1U);
  handler_->take(add("third"));
  await_answers(3);
  EXPECT_EQ(answers_["ok"], 2U);
  EXPECT_TRUE(stored_images_.find({"first"}));
  EXPECT_FALSE(stored_images_.find({"second"}));
  EXPECT_TRUE(stored_images_.find({"third"}));
  EXPECT_EQ(images_logged_.size(), 2U) << "each one that was added";
}

}  // namespace
}  // namespace aliquot
