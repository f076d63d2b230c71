#include "test/integration/hypervisor_contract.hpp"

#include <algorithm>

namespace aliquot {
namespace {

constexpr Duration kGlance{20'000};
constexpr Duration kPatience = seconds(60);

// Jobs of different tests never meet, not even in one spool.
JobId fresh_job() {
  static std::uint64_t last = 100;
  return {++last};
}

}  // namespace

void HypervisorContract::SetUp() {
  backend_ = GetParam()();
  if (const std::string why = backend_->cannot_run(); !why.empty()) GTEST_SKIP() << why;
  hypervisor_ = backend_->start(log_.sink());
  hypervisor_->on_departure([this](NodeId, const std::vector<VmSample>& samples) { keep(samples); });
  const auto is_up = [](const NodeChanged& one) { return one.state == NodeState::up; };
  const auto all_up = [&] { return log_.all<NodeChanged>(is_up).size() >= backend_->nodes(); };
  passes_until(all_up, seconds(5));  // a backend whose nodes cannot fail need not say so
}

void HypervisorContract::TearDown() {
  if (spec_) {
    EXPECT_EQ(act(Destroy{next(), NodeId{0}}), kDone);
    for (std::uint32_t task = 0; task < spec_->tasks.size(); ++task) {
      EXPECT_EQ(backend_->fault(spec_->job, task), "") << "task " << task;
    }
  }
  if (hypervisor_) {
    EXPECT_TRUE(log_.all<ForeignMove>().empty()) << log_.all<ForeignMove>().front().what;
  }
  hypervisor_.reset();
}

void HypervisorContract::submit(Submission submission, std::uint32_t tasks) {
  auto spec = std::make_shared<JobSpec>();
  spec->job = fresh_job();
  submission.demand.tasks = tasks;
  spec->submission = std::move(submission);
  spec->tasks.assign(tasks, {1, NodeId{0}, false});
  spec_ = spec;
}

void HypervisorContract::place(std::uint32_t node) {
  auto spec = std::make_shared<JobSpec>(*spec_);
  for (auto& task : spec->tasks) task.node = {node};
  spec_ = spec;
}

void HypervisorContract::place(std::uint32_t first, std::uint32_t second) {
  auto spec = std::make_shared<JobSpec>(*spec_);
  spec->tasks.at(0).node = {first};
  spec->tasks.at(1).node = {second};
  spec_ = spec;
}

ActionHead HypervisorContract::next() { return next({0, static_cast<std::uint32_t>(spec_->tasks.size())}); }

ActionHead HypervisorContract::next(TaskRun tasks) {
  ++last_op_.raw;
  return {last_op_, spec_->job, tasks};
}

void HypervisorContract::start_only(const Action& action) { hypervisor_->perform(action, spec_); }

std::vector<Outcome> HypervisorContract::wait_for_outcomes(const Action& action) {
  const ActionHead& what = head(action);
  const auto found = [&] {
    return log_.all<Outcome>([&](const Outcome& one) { return one.op == what.op; });
  };
  const auto finished_tasks = [&] {
    std::uint32_t count = 0;
    for (const Outcome& one : found()) count += one.tasks.count;
    return count;
  };
  EXPECT_TRUE(passes_until([&] { return finished_tasks() >= what.tasks.count; }, kPatience))
      << "no outcome of " << word(action);
  EXPECT_EQ(finished_tasks(), what.tasks.count) << word(action);
  return found();
}

std::vector<Outcome> HypervisorContract::outcomes(const Action& action) {
  start_only(action);
  return wait_for_outcomes(action);
}

std::string HypervisorContract::act(const Action& action) {
  for (const Outcome& one : outcomes(action)) {
    if (one.error) return one.error->message;
  }
  return kDone;
}

// An event that arrives during an inspection leaves its answer unknown, and the manager inspects again.
Inspected HypervisorContract::look(std::uint32_t task) {
  constexpr int kTries = 5;
  Inspected found = inspect_once(task);
  for (int i = 1; i < kTries && found.fact == VmFact::unknown; ++i) {
    backend_->let_pass(seconds(1));
    found = inspect_once(task);
  }
  return found;
}

Inspected HypervisorContract::inspect_once(std::uint32_t task) {
  const auto answers = [&] {
    return log_.all<Inspected>(
        [&](const Inspected& one) { return one.job == spec_->job && one.task == task; });
  };
  const std::size_t before = answers().size();
  hypervisor_->inspect({{spec_->job, task, spec_->tasks[task].incarnation, {NodeId{0}, NodeId{1}}}});
  EXPECT_TRUE(passes_until([&] { return answers().size() > before; }, kPatience)) << "no answer";
  EXPECT_EQ(answers().size(), before + 1);
  return answers().empty() ? Inspected{} : answers().back();
}

bool HypervisorContract::passes_until(const std::function<bool()>& condition, Duration patience) {
  for (Duration passed{}; passed < patience * backend_->slowness(); passed += kGlance) {
    if (condition()) return true;
    backend_->let_pass(kGlance);
  }
  return condition();
}

std::int64_t HypervisorContract::progress(std::uint32_t task) {
  return backend_->progress(*hypervisor_, spec_->job, task);
}

bool HypervisorContract::goes_on() {
  return passes_until([this, then = progress()] { return progress() > then; }, kPatience);
}

std::int64_t HypervisorContract::progress_in(Duration span, std::uint32_t task) {
  const std::int64_t before = progress(task);
  backend_->let_pass(span);
  return progress(task) - before;
}

void HypervisorContract::keep(const std::vector<VmSample>& samples) {
  const std::lock_guard lock(counted_->mutex);
  for (const VmSample& one : samples) {
    Duration& known = counted_->cpu[{one.job, one.task, one.incarnation, one.run}];
    known = std::max(known, one.cpu);
  }
}

Duration HypervisorContract::cpu_time(std::uint32_t node) {
  struct Answer {
    std::mutex mutex;
    std::optional<std::vector<VmSample>> samples;
  };
  const auto answer = std::make_shared<Answer>();  // it may come after we have given up
  hypervisor_->sample({node}, [answer](NodeId, std::vector<VmSample> samples) {
    const std::lock_guard lock(answer->mutex);
    answer->samples = std::move(samples);
  });
  const auto answered = [&] {
    const std::lock_guard lock(answer->mutex);
    return answer->samples.has_value();
  };
  EXPECT_TRUE(passes_until(answered, seconds(20)));
  std::vector<VmSample> samples;
  {
    const std::lock_guard lock(answer->mutex);
    samples = answer->samples.value_or(std::vector<VmSample>{});
  }
  const auto ours = [&](const VmSample& one) { return one.job == spec_->job && one.task == 0; };
  if (std::none_of(samples.begin(), samples.end(), ours))
    ADD_FAILURE() << "the VM is not among those of node " << node;
  keep(samples);
  const std::lock_guard lock(counted_->mutex);
  Duration sum;
  for (const auto& [run, cpu] : counted_->cpu)
    if (std::get<0>(run) == spec_->job && std::get<1>(run) == 0) sum += cpu;
  return sum;
}

void HypervisorContract::run(Submission submission, Yield yield, std::uint32_t tasks) {
  submit(std::move(submission), tasks);
  ASSERT_EQ(act(Create{next(), NodeId{0}, yield}), kDone);
  ASSERT_EQ(act(Release{next()}), kDone);
  ASSERT_TRUE(passes_until([&] { return progress() > 0; }, kPatience)) << "it makes no progress";
}

}  // namespace aliquot
