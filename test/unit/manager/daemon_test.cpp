// The loop with a disk that is slow: nothing is done or asked before its cause is on disk, and observers
// are told of each step as it was when it was made. While a step takes long, or one piece of it, requests
// are answered, and what comes meanwhile is taken in by one step.
#include "manager/daemon.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <zmq.hpp>

#include "monitor/metrics.hpp"
#include "test/support/scripted_world.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "test/unit/monitor/watch/series_text.hpp"

namespace aliquot {
namespace {

using test::submission;

constexpr JobId kJob{1};

// Steps are on disk when the test says so.
class SlowStore final : public Store {
 public:
  std::function<void(std::uint64_t step)> on_append;

  Result<Recovered> recover() override { return Recovered{}; }
  void start(Durable, Failed) override {}
  void append(Step step) override { on_append(step.number); }
  void snapshot(CoreState) override {}
  void keep_cpu(std::vector<std::pair<JobId, JobUse>>, std::vector<HourUse>) override {}
  void keep_accounts(std::vector<std::pair<std::string, AccountUse>>, std::vector<JobId>) override {}
  void keep_clock(ClockRow) override {}
  void keep_nodes(std::string) override {}
  void keep_learned(std::string, std::string) override {}
  bool flush() override { return true; }
  std::optional<JobOutcome> ended(JobId) const override { return std::nullopt; }
  std::vector<JobOutcome> ended_jobs(std::size_t) const override { return {}; }
  std::vector<JobOutcome> ended_page(const EndedPage&) const override { return {}; }
  std::optional<JobOutcome> ended_member(const ArrayMember&) const override { return std::nullopt; }
  std::optional<JobUse> cpu_use(JobId) const override { return std::nullopt; }
  CpuByUser cpu_between(std::int64_t, std::int64_t) const override { return {}; }
  CpuByJob cpu_of_jobs(const JobHours&) const override { return {}; }
  std::vector<std::pair<std::string, AccountUse>> accounts() const override { return {}; }
  std::vector<JobId> uncounted() const override { return {}; }
  std::vector<LoggedEvent> events(std::optional<JobId>, std::uint64_t, std::size_t) const override {
    return {};
  }
  std::vector<LoggedEvent> events_before(std::optional<JobId>, std::uint64_t, std::size_t) const override {
    return {};
  }
  std::vector<LoggedEvent> story(JobId, std::size_t) const override { return {}; }
  std::uint64_t newest_event() const override { return 0; }
  std::optional<Answered> answered(const IdempotencyKey&) const override { return std::nullopt; }
  void remember_answer(const IdempotencyKey&, Answered) override {}
};

class ScriptedHypervisor final : public Hypervisor {
 public:
  std::function<void(const Action&)> on_perform = [](const Action&) {};
  std::function<void(const VmQuery&)> on_inspect = [](const VmQuery&) {};

  void perform(const Action& action, std::shared_ptr<const JobSpec>) override { on_perform(action); }
  void inspect(std::vector<VmQuery> queries) override {
    for (const VmQuery& query : queries) on_inspect(query);
  }
  void sample(NodeId, SampleSink) override {}
  void forget(JobId) override {}
};

// What is done before a policy decides or explains, in the thread in which it does so.
struct BeforePolicy {
  std::function<void()> decides = [] {};
  std::function<void()> explains = [] {};
};

class WatchedPolicy final : public Policy {
 public:
  WatchedPolicy(std::shared_ptr<std::deque<Plan>> plans, std::shared_ptr<BeforePolicy> before)
      : scripted_(std::move(plans)), before_(std::move(before)) {}
  [[nodiscard]] std::string name() const override { return scripted_.name(); }
  [[nodiscard]] Plan decide(const ClusterView& view) const override {
    before_->decides();
    return scripted_.decide(view);
  }
  [[nodiscard]] Explanation explain(const ClusterView& view, JobId job) const override {
    before_->explains();
    return scripted_.explain(view, job);
  }

 private:
  test::ScriptedPolicy scripted_;
  std::shared_ptr<BeforePolicy> before_;
};

class SlowDisk : public testing::Test {
 protected:
  SlowDisk() {
    Plan start;
    start.changes = {{kJob, {{{0}, 1}}, kFullYield}};
    plans_->push_back(start);
    ApiSettings api;
    api.socket = directory_.file("api.sock");
    api.events = directory_.file("events.sock");
    api.operators.clear();
    auto server = JobServer::open(api, directory_.file("keys"));
    if (!server) throw std::runtime_error(server.error().message);
    server_ = std::move(*server);
    if (pipe2(signals_, O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
  }
  ~SlowDisk() override {
    close(signals_[0]);
    close(signals_[1]);
  }

  // Until stop().
  void run(std::vector<Observer*> observers) {
    Chronicle chronicle(scheduler_.cluster().state());
    RequestHandler requests({scheduler_,   store_,    *server_,   tasks_,    tasks_,
                             submissions_, images_,   terminals_, learning_, {},
                             input_,       settings_, {},         {},        refused_,
                             {},           {},        {},         roster_,   {}});
    const std::vector<std::function<void(Instant)>> no_calls;
    Daemon daemon({scheduler_, store_, hypervisor_, *server_, requests, input_, inbox_, clock_, chronicle,
                   std::move(observers), no_calls, [](Duration) {}, [] {}});
    ASSERT_TRUE(daemon.run(signals_[0], {Submitted{kJob, submission(1, 1000, 100)}}, 0));
  }
  void stop() {
    signalfd_siginfo terminate{};
    terminate.ssi_signo = SIGTERM;
    ASSERT_EQ(write(signals_[1], &terminate, sizeof terminate), ssize_t{sizeof terminate});
  }
  // Once the loop has gone round.
  void later(std::function<void()> run) { inbox_.post(Continuation{std::move(run)}); }

  test::TemporaryDirectory directory_;
  std::shared_ptr<std::deque<Plan>> plans_ = std::make_shared<std::deque<Plan>>();
  std::shared_ptr<BeforePolicy> before_policy_ = std::make_shared<BeforePolicy>();
  Scheduler scheduler_{Cluster({test::node(0)}), std::make_unique<WatchedPolicy>(plans_, before_policy_)};
  SlowStore store_;
  ScriptedHypervisor hypervisor_;
  Settings settings_;
  Inbox inbox_;
  StepInput input_;
  ContentStore contents_{Spool(directory_.file("spool"))};
  ImageStore stored_images_{Spool(directory_.file("spool")), contents_};
  RefusedPlan refused_;
  LiveClock clock_{Instant{}};
  NodeRoster roster_{{scheduler_, store_, input_, settings_, [](NodeId) {}}, {}};
  BackgroundTasks tasks_{inbox_};
  SubmissionFiles submissions_{tasks_, contents_, stored_images_, settings_, inbox_};
  ImageRequests images_{{scheduler_, stored_images_, tasks_, inbox_, settings_, [](const std::string&) {}}};
  Terminals terminals_{{scheduler_, inbox_, {}, [](const std::string&) {}}};
  Learning learning_{
      {scheduler_.cluster().state(), 10, [](const std::string&) {}, [](const auto&, const auto&) {}}, {}};
  std::unique_ptr<JobServer> server_;
  int signals_[2]{};
};

struct Seen : Observer {
  struct Told {
    std::uint64_t step = 0;
    bool has_job = false;
    bool of_that_instant = false;
  };
  void on_step(const Step& step, const ClusterView& after) override {
    told.push_back({step.number, after.jobs.contains(kJob), after.now == step.now});
  }
  void on_durable(const Step& step) override { durable.push_back(step.number); }

  std::vector<Told> told;
  std::vector<std::uint64_t> durable;
};

TEST_F(SlowDisk, ObserversSeeTheViewThatEachStepLeft) {
  store_.on_append = [this](std::uint64_t step) {
    if (step == 1) return inbox_.post(Event{Cancelled{kJob, JobResult::cancelled, "by its user"}});
    inbox_.post(Durable{2});
    later([this] { stop(); });
  };
  Seen seen;
  Metrics metrics({"1", "a", "9", {}, {}});
  run({&seen, &metrics});
  ASSERT_EQ(seen.told.size(), 2U);
  EXPECT_TRUE(seen.told[0].has_job) << "it was there when step 1 was made";
  EXPECT_TRUE(seen.told[0].of_that_instant);
  EXPECT_FALSE(seen.told[1].has_job);
  EXPECT_EQ(seen.durable, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(test::value(metrics, "aliquot_plan_given_cores_total{policy=\"SCRIPTED\"}"), "1")
      << "the start counts although the job has ended before its step was on disk";
}

TEST_F(SlowDisk, AVmIsInspectedOnceTheStepThatMadeItUnclearIsOnDisk) {
  std::uint64_t on_disk = 0;
  const auto make_durable = [&](std::uint64_t step) {
    on_disk = step;
    inbox_.post(Durable{step});
  };
  store_.on_append = [&](std::uint64_t step) {
    if (step == 1) return make_durable(1);
    later([&, step] { later([&, step] { make_durable(step); }); });
  };
  hypervisor_.on_perform = [this](const Action& action) {
    inbox_.post(Event{Outcome{head(action).op, kJob, {0, 1}, Error{ErrorKind::timeout, "silent"}, {}, {}}});
  };
  std::vector<std::uint64_t> on_disk_when_asked;
  hypervisor_.on_inspect = [&](const VmQuery&) {
    on_disk_when_asked.push_back(on_disk);
    stop();
  };
  run({});
  EXPECT_EQ(on_disk_when_asked, (std::vector<std::uint64_t>{2}));
}

// How many events each step takes in.
struct Sizes : Observer {
  void on_step(const Step& step, const ClusterView&) override { of_steps.push_back(step.events.size()); }
  void on_durable(const Step&) override {}

  std::vector<std::size_t> of_steps;
};

TEST_F(SlowDisk, HoldsBackStepsThatThenTakeInMore) {
  constexpr std::uint64_t kMost = 8;
  constexpr std::uint64_t kMore = 4;
  Sizes sizes;
  std::size_t made = 0;
  // One submission in each round of the loop.
  std::function<void(std::uint64_t)> submit = [&](std::uint64_t number) {
    inbox_.post(Event{Submitted{JobId{number}, submission(1, 1000, 100)}});
    if (number > kMost && number < kMost + kMore) later([&, number] { submit(number + 1); });
    if (number == kMost + kMore)
      later([&] {
        made = sizes.of_steps.size();
        inbox_.post(Durable{kMost});
      });
  };
  store_.on_append = [&](std::uint64_t step) {
    if (step <= kMost) return submit(step + 1);
    stop();
  };
  run({&sizes});
  EXPECT_EQ(made, kMost) << "while none is on disk";
  ASSERT_EQ(sizes.of_steps.size(), kMost + 1);
  EXPECT_EQ(sizes.of_steps.back(), kMore);
}

// Takes long over each step.
struct Slow : Observer {
  explicit Slow(const LiveClock& its_clock) : clock(its_clock) {}
  void on_step(const Step& step, const ClusterView&) override {
    begun.push_back(step.now);
    before_work();
    std::this_thread::sleep_for(std::chrono::microseconds(kWork.raw));
    ended.push_back(clock.now());
  }
  void on_durable(const Step&) override {}

  static constexpr Duration kWork{20'000};
  const LiveClock& clock;
  std::function<void()> before_work = [] {};
  std::vector<Instant> begun, ended;
};

TEST_F(SlowDisk, AfterALongStepTheLoopRestsForHalfAsLong) {
  Slow slow(clock_);
  store_.on_append = [this](std::uint64_t step) {
    if (step == 1) inbox_.post(Event{Submitted{JobId{2}, submission(1, 1000, 100)}});
    if (step == 2) stop();
  };
  run({&slow});
  ASSERT_EQ(slow.begun.size(), 2U);
  EXPECT_GE(slow.begun[1] - slow.ended[0], Duration{Slow::kWork.raw / 2});
}

// A client in the thread of the loop: it never waits for what only the loop can send.
class Client {
 public:
  explicit Client(const std::string& path) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.connect("ipc://" + path);
  }
  // What is answered with what is wrong with it.
  void ask() { socket_.send(zmq::str_buffer("not a request"), zmq::send_flags::none); }
  [[nodiscard]] bool answered(std::chrono::milliseconds patience) {
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(patience.count()));
    zmq::message_t frame;
    bool any = false;
    do {
      if (!socket_.recv(frame)) return any;
      any = true;
    } while (frame.more());
    return true;
  }

 private:
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

// Waits in the second step for the answer to the client.
struct Waiting : Observer {
  explicit Waiting(Client& its_client) : client(its_client) {}
  void on_step(const Step& step, const ClusterView&) override {
    if (step.number == 2) answered = client.answered(std::chrono::seconds(10));
  }
  void on_durable(const Step&) override {}
  Client& client;
  bool answered = false;
};

TEST_F(SlowDisk, AnswersWhileAStepTakesLong) {
  Client client(directory_.file("api.sock"));
  client.ask();
  // The step that takes long is made when the client is connected.
  std::function<void()> look = [&] {
    if (!client.answered(std::chrono::milliseconds(1))) return later(look);
    inbox_.post(Event{Submitted{JobId{2}, submission(1, 1000, 100)}});
  };
  store_.on_append = [&](std::uint64_t step) { step == 1 ? look() : stop(); };
  Slow slow(clock_);
  slow.before_work = [&] {
    if (slow.begun.size() == 2) client.ask();
  };
  Waiting waiting(client);
  run({&slow, &waiting});
  EXPECT_TRUE(waiting.answered) << "between the first observer of the step and the second";
}

// Takes long in the thread of the loop; in another one it waits for the answer to a question that comes
// meanwhile.
class WaitingWork {
 public:
  explicit WaitingWork(Client& client) : client_(client) {}
  void operator()() {
    if (std::this_thread::get_id() == loop_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    } else if (!answered_) {
      client_.ask();
      answered_ = client_.answered(std::chrono::seconds(10));
    }
  }
  [[nodiscard]] bool answered() const { return answered_; }

 private:
  Client& client_;
  const std::thread::id loop_ = std::this_thread::get_id();
  bool answered_ = false;
};

// Runs the loop for steps that each take in one job.
class LongPieces : public SlowDisk {
 protected:
  bool answers_while(std::function<void()> BeforePolicy::*piece) {
    Client client(directory_.file("api.sock"));
    client.ask();
    WaitingWork work(client);
    store_.on_append = [&](std::uint64_t step) {
      if (step == 1) return look(client, [&, piece] { (*before_policy_).*piece = std::ref(work); });
      step == 4 ? stop() : submit(step + 1);
    };
    run({});
    return work.answered();
  }

 private:
  // From when the client is connected.
  void look(Client& client, std::function<void()> then) {
    later([this, &client, then = std::move(then)] {
      if (!client.answered(std::chrono::milliseconds(1))) return look(client, then);
      then();
      submit(2);
    });
  }
  void submit(std::uint64_t job) { inbox_.post(Event{Submitted{JobId{job}, submission(1, 1000, 100)}}); }
};

TEST_F(LongPieces, AnswersWhileADecisionIsMade) { EXPECT_TRUE(answers_while(&BeforePolicy::decides)); }

TEST_F(LongPieces, AnswersWhileTheChronicleIsWritten) {
  EXPECT_TRUE(answers_while(&BeforePolicy::explains));
}

}  // namespace
}  // namespace aliquot
