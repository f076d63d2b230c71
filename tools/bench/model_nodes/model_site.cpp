#include "tools/bench/model_nodes/model_site.hpp"

#include <algorithm>

namespace aliquot::bench {
namespace {

std::vector<Node> nodes_of(const SiteSize& size) {
  std::vector<Node> nodes;
  for (std::uint32_t n = 0; n < size.nodes; ++n)
    nodes.push_back(
        {{n}, "n" + std::to_string(n + 1), cores(size.cores), size.memory, NodeState::up, size.cores});
  return nodes;
}

// As measured on real nodes with KVM: caps and states within milliseconds, creations and restores in
// seconds.
ModelOptions latencies() {
  ModelOptions options;
  const auto at = [](ActionKind kind) { return static_cast<std::size_t>(kind); };
  for (Duration& delay : options.delay) delay = Duration{20'000};
  options.delay[at(ActionKind::create)] = seconds(2);
  options.delay[at(ActionKind::restore)] = seconds(1);
  options.jitter = Duration{400'000};
  for (const ActionKind kind : {ActionKind::save, ActionKind::restore})
    options.bandwidth[at(kind)] = std::int64_t{1} << 30;
  return options;
}

}  // namespace

// The part of the site that an agent hosts in one session.
class ModelNode final : public NodeHypervisor {
 public:
  ModelNode(ModelSite& site, agent::Hello hello, const agent::BackendSinks& sinks)
      : site_(site), hello_(std::move(hello)) {
    site_.attach(hello_.node, sinks.events);
    sinks.events(NodeChanged{hello_.node, NodeState::up, "connected"});
  }
  ~ModelNode() override { site_.detach(hello_.node); }
  ModelNode(const ModelNode&) = delete;
  ModelNode& operator=(const ModelNode&) = delete;

  void perform(const Action& action, std::shared_ptr<const JobSpec> spec) override {
    site_.perform(hello_.node, action, spec);
  }
  void inspect(std::vector<VmQuery> queries) override { site_.inspect(hello_.node, std::move(queries)); }
  void sample(NodeId node, SampleSink done) override { done(node, site_.vms_on(hello_.node)); }
  void forget(JobId job) override { site_.forget(job); }
  void set_max_output(Memory) override {}
  void set_node(NodeId, const NodeSettings&, const std::string&) override {}
  void remove_node(NodeId) override {}

  Result<NodeFacts> node_facts(NodeId, Duration, bool) override {
    NodeFacts facts;
    facts.cores = site_.size_.cores;
    facts.memory = site_.size_.memory;
    facts.hypervisor = "model";
    facts.acceleration = "none";
    return facts;
  }
  Result<NodeSurvey> survey(NodeId, Duration) override {
    NodeSurvey survey;
    for (const VmSample& vm : site_.vms_on(hello_.node)) {
      const VmIdentity identity{hello_.cluster, vm.job, vm.task, vm.incarnation, hello_.epoch};
      survey.ours.push_back({identity, vm_uuid(identity), VmFact::unknown, vm_name(identity), {}, {}});
    }
    return survey;
  }
  Result<void> destroy_orphan(NodeId, const Uuid& uuid, Duration) override {
    return fail(ErrorKind::not_found,
                "the model destroys no single VM that no job knows: " + to_string(uuid));
  }
  Result<std::uint32_t> clear(NodeId, Duration) override {
    const auto count = static_cast<std::uint32_t>(site_.vms_on(hello_.node).size());
    site_.lose_vms(hello_.node);
    return count;
  }
  void write_off(NodeId) override {}
  void take_back(NodeId) override {}
  [[nodiscard]] bool held_by_other_cluster(NodeId) const override { return false; }

 private:
  ModelSite& site_;
  const agent::Hello hello_;
};

ModelSite::ModelSite(const SiteSize& size)
    : size_(size), hypervisor_(nodes_of(size), latencies()), thread_([this] { run(); }) {}

ModelSite::~ModelSite() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

agent::OpenBackend ModelSite::backend() {
  return [this](const agent::Hello& hello,
                agent::BackendSinks sinks) -> Result<std::unique_ptr<NodeHypervisor>> {
    if (hello.node.raw >= size_.nodes)
      return fail(ErrorKind::invalid_argument, "the site has " + std::to_string(size_.nodes) +
                                                   " nodes, and the manager's configuration more");
    return std::make_unique<ModelNode>(*this, hello, sinks);
  };
}

std::pair<std::uint64_t, std::string> ModelSite::violations() const {
  const std::lock_guard lock(mutex_);
  const ConformanceChecker& checker = hypervisor_.checker();
  return {checker.violation_count(), checker.violations().empty() ? "" : checker.violations().front()};
}

void ModelSite::attach(NodeId node, Hypervisor::Sink sink) {
  const std::lock_guard lock(mutex_);
  sessions_[node] = std::move(sink);
}

void ModelSite::detach(NodeId node) {
  const std::lock_guard lock(mutex_);
  sessions_.erase(node);
}

void ModelSite::perform(NodeId node, const Action& action, const std::shared_ptr<const JobSpec>& spec) {
  {
    const std::lock_guard lock(mutex_);
    go_on();
    const ActionHead& what = head(action);
    for (std::uint32_t k = 0; k < what.tasks.count; ++k) places_[{what.job, what.tasks.first + k}] = node;
    jobs_seen_[node].insert(what.job);
    hypervisor_.perform(action, for_model(*spec));
    go_on();
  }
  changed_.notify_one();
}

// What is on another node is not on this one.
void ModelSite::inspect(NodeId node, std::vector<VmQuery> queries) {
  const std::lock_guard lock(mutex_);
  go_on();
  hypervisor_.inspect(std::move(queries));
  for (const Event& event : hypervisor_.take_due(now())) {
    const auto* found = std::get_if<Inspected>(&event);
    if (!found) {
      deliver(event);
      continue;
    }
    Inspected answer = *found;
    const bool exists = answer.fact == VmFact::running || answer.fact == VmFact::paused;
    if (exists && answer.node != node) answer.fact = VmFact::absent;
    say(node, answer);
  }
}

std::vector<VmSample> ModelSite::vms_on(NodeId node) {
  const std::lock_guard lock(mutex_);
  go_on();
  return hypervisor_.samples_of(jobs_seen_[node], node);
}

void ModelSite::forget(JobId job) {
  const std::lock_guard lock(mutex_);
  hypervisor_.forget(job);
  incarnations_.erase(job);
  places_.erase(places_.lower_bound({job, 0}), places_.lower_bound({JobId{job.raw + 1}, 0}));
  for (auto& [node, jobs] : jobs_seen_) jobs.erase(job);
}

void ModelSite::lose_vms(NodeId node) {
  const std::lock_guard lock(mutex_);
  go_on();
  hypervisor_.power_off(node);
}

Instant ModelSite::now() const {
  return Instant{} +
         Duration{std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - born_).count()};
}

void ModelSite::go_on() {
  for (const Event& event : hypervisor_.take_due(now())) deliver(event);
}

void ModelSite::deliver(const Event& event) {
  const auto tell = [this, &event](JobId job, TaskRun tasks) {
    if (const auto place = places_.find({job, tasks.first}); place != places_.end())
      say(place->second, event);
  };
  if (const auto* outcome = std::get_if<Outcome>(&event)) tell(outcome->job, outcome->tasks);
  if (const auto* ended = std::get_if<TaskEnded>(&event)) tell(ended->job, ended->tasks);
}

// Without a session it is not heard: an inspection finds it later.
void ModelSite::say(NodeId node, const Event& event) const {
  if (const auto session = sessions_.find(node); session != sessions_.end()) session->second(event);
}

// The model runs no programs: that of a job computes for as long as its number says. It has one
// specification of a job, and the agents have theirs: one that comes later may be older, and then does not
// know which incarnations of its tasks other agents have created.
std::shared_ptr<const JobSpec> ModelSite::for_model(const JobSpec& spec) {
  Submission submission = spec.submission;
  const std::int64_t percent = 50 + static_cast<std::int64_t>(spec.job.raw * 7919 % 101);
  submission.program = ModelWork{Duration{size_.job.raw / 100 * percent}};
  JobSpec changed = spec;
  changed.submission = std::move(submission);
  std::vector<std::uint32_t>& newest = incarnations_[spec.job];
  newest.resize(std::max(newest.size(), changed.tasks.size()));
  for (std::size_t task = 0; task < changed.tasks.size(); ++task) {
    newest[task] = std::max(newest[task], changed.tasks[task].incarnation);
    changed.tasks[task].incarnation = newest[task];
  }
  return std::make_shared<const JobSpec>(std::move(changed));
}

void ModelSite::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    go_on();
    const Instant next = hypervisor_.next();
    const auto until = next == kNever ? Clock::now() + std::chrono::hours(1)
                                      : born_ + std::chrono::microseconds((next - Instant{}).raw);
    changed_.wait_until(lock, until);
  }
}

}  // namespace aliquot::bench
