// What is kept of jobs that have ended: a hundred jobs of four tasks with networks on the model, with the
// store on disk. The manager dies five times and goes on with what its store gives back. At the end
// no VM is left, and the store has the jobs' outcomes and nothing that still looks like a job.
#include <algorithm>
#include <map>

#include "manager/core/recorded.hpp"
#include "policies/policy.hpp"
#include "test/unit/manager/store/fixture.hpp"
#include "tools/sim/simulation.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kJobs = 100;
constexpr std::uint64_t kSnapshotEvery = 100;  // steps
constexpr const char* kPolicy = "GREEDY-PMTN";

// Where the manager dies: with the `nth` step that does this.
struct Point {
  const char* name;
  bool (*is_in)(const Step&);
  int nth;
};
bool has_event(const Step& step, bool (*is)(const Event&)) { return std::ranges::any_of(step.events, is); }
bool has_action(const Step& step, ActionKind what) {
  return std::ranges::any_of(step.actions, [what](const Action& action) { return kind(action) == what; });
}
bool submits(const Step& step) {
  return has_event(step, [](const Event& event) { return std::holds_alternative<Submitted>(event); });
}
bool ends_a_task(const Step& step) {
  return has_event(step, [](const Event& event) { return std::holds_alternative<TaskEnded>(event); });
}
bool creates(const Step& step) { return has_action(step, ActionKind::create); }
bool saves(const Step& step) { return has_action(step, ActionKind::save); }
bool rests(const Step& step) { return step.actions.empty() && !ends_a_task(step); }

class SurvivingStore {
 public:
  explicit SurvivingStore(const std::string& store) : path_(store) { open(); }

  std::optional<Simulation::Death> after(const Step& step, const Cluster& cluster) {
    const auto point =
        std::ranges::find_if(points_, [&](Point& each) { return each.is_in(step) && --each.nth == 0; });
    store_->store->append(step);
    if (++steps_ % kSnapshotEvery == 0) store_->store->snapshot(cluster.state());
    if (point == points_.end()) return std::nullopt;
    died_.emplace_back(point->name);
    points_.erase(point);
    open();
    return Simulation::Death{recover(), true, died_.size() % 2 == 0, {Restarted{died_.size() + 1}}};
  }

  // Closes it first, if it is open.
  void open() {
    store_.reset();
    store_ = std::make_unique<test::OpenStore>(path_);
    EXPECT_TRUE(recovered());
  }
  [[nodiscard]] const Result<Recovered>& recovered() const { return store_->recovered; }
  [[nodiscard]] SqliteStore& store() { return *store_->store; }
  [[nodiscard]] const std::vector<std::string>& died() const { return died_; }
  CoreState first_state{};  // before the first snapshot

 private:
  [[nodiscard]] Scheduler recover() const {
    CoreState state = recovered()->snapshot.value_or(first_state);
    EXPECT_TRUE(check_recorded(state));
    Scheduler scheduler(Cluster(std::move(state)), *make_policy(kPolicy));
    for (const Step& step : recovered()->steps) EXPECT_TRUE(scheduler.replay(step));
    return scheduler;
  }

  const std::string path_;
  std::vector<Point> points_{{"at a submission", submits, 20},
                             {"while VMs start", creates, 30},
                             {"while VMs run", rests, 60},
                             {"while VMs are saved", saves, 2},
                             {"while jobs end", ends_a_task, 60}};
  std::vector<std::string> died_;
  std::unique_ptr<test::OpenStore> store_;
  std::uint64_t steps_ = 0;
};

Workload hundred_jobs(const ClusterShape& shape) {
  Workload workload;
  for (std::uint64_t id = 1; id <= kJobs; ++id) {
    TraceJob job;
    job.id = {id};
    job.submitted = Instant{} + seconds(static_cast<std::int64_t>(id) * 20);
    job.tasks = 4;
    job.cpu_need = {kPico};
    job.memory = {kPico * 3 / 10};
    job.runtime = seconds(id % 5 == 0 ? 2000 : 100);
    workload.jobs.push_back(make_job(job, shape));
    workload.jobs.back().submission.has_network = true;
  }
  return workload;
}

ModelOptions slow_actions() {
  ModelOptions model;
  model.seed = 1;
  for (const ActionKind slow : {ActionKind::create, ActionKind::save, ActionKind::restore})
    model.delay[static_cast<std::size_t>(slow)] = seconds(3);
  return model;
}

struct IgnoresAll final : Observer {
  void on_step(const Step&, const ClusterView&) override {}
};

void expect_only_outcomes(const Recovered& recovered, const SqliteStore& store) {
  ASSERT_TRUE(recovered.snapshot);
  EXPECT_TRUE(recovered.steps.empty()) << recovered.steps.size();
  EXPECT_TRUE(recovered.snapshot->records.empty());
  EXPECT_TRUE(recovered.snapshot->view.jobs.empty());
  std::map<JobResult, std::uint64_t> results;
  for (const JobOutcome& outcome : store.ended_jobs(10 * kJobs)) ++results[outcome.result];
  EXPECT_EQ(results, (std::map<JobResult, std::uint64_t>{{JobResult::completed, kJobs}}));
}

TEST(Leftovers, AHundredParallelJobsLeaveNothingButTheirOutcomesThoughTheManagerDiesFiveTimes) {
  const test::TemporaryDirectory directory;
  const ClusterShape shape{6, 1, {1'000'000'000}};
  const Workload workload = hundred_jobs(shape);
  SurvivingStore stores(directory.file("s.db"));
  IgnoresAll observer;
  Simulation simulation(workload, shape, slow_actions(), *make_policy(kPolicy), observer);
  stores.first_state = simulation.scheduler().cluster().state();
  simulation.set_killer(
      [&](const Step& step, const Cluster& cluster) { return stores.after(step, cluster); });
  const auto done = simulation.run();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(stores.died().size(), 5U);
  EXPECT_EQ(simulation.hypervisor().leftovers(), 0U);
  const auto& violations = simulation.hypervisor().checker().violations();
  EXPECT_TRUE(violations.empty()) << violations.front();
  const Cluster& cluster = simulation.scheduler().cluster();
  EXPECT_TRUE(cluster.state().records.empty());
  stores.store().snapshot(cluster.state());
  stores.store().flush();
  stores.open();
  expect_only_outcomes(*stores.recovered(), stores.store());
}

}  // namespace
}  // namespace aliquot
