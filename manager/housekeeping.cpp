#include "manager/housekeeping.hpp"

#include <tuple>
#include <utility>
#include <vector>

#include "manager/device_slots.hpp"
#include "manager/guest_output.hpp"
#include "manager/hypervisor/device_stock.hpp"
#include "manager/hypervisor/spool_space.hpp"
#include "manager/recovery.hpp"
#include "manager/spool_retention.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kSampleEvery = 2;  // seconds
constexpr std::uint64_t kOutputEvery = 2;
constexpr std::uint64_t kSpoolEvery = 60;
constexpr Duration kNodePatience = seconds(10);

std::vector<VmUsage> as_usage(const std::vector<VmSample>& samples) {
  std::vector<VmUsage> usage;
  for (const VmSample& s : samples)
    usage.push_back(
        {s.job, s.task, s.incarnation, s.run, s.node, s.vcpus, {s.cpu, s.waited, s.throttled}, s.memory});
  return usage;
}

std::vector<RunningTask> running_tasks(const CoreState& state) {
  std::vector<RunningTask> running;
  for (const auto& [id, record] : state.records)
    for (std::uint32_t task = 0; task < record.vms.size(); ++task)
      if (const Vm& vm = record.vms[task]; vm.state == VmState::running)
        running.push_back({id, task, vm.incarnation, record.submission->data.stage_out_max});
  return running;
}

}  // namespace

Housekeeping::Housekeeping(Parts parts)
    : parts_(std::move(parts)),
      spool_(parts_.settings.spool_dir),
      announcements_({parts_.scheduler, parts_.files, parts_.settings, parts_.input}),
      task_lists_(parts_.files, spool_, parts_.warn) {
  parts_.hypervisor.on_departure(
      [this](NodeId, const std::vector<VmSample>& samples) { take_samples(samples); });
}

void Housekeeping::every_second(Instant now) {
  ++seconds_;
  if (!parts_.input.blocked)
    for (const NodeId node : std::exchange(ask_later_, {})) ask(node);
  forget_spent_devices();
  if (seconds_ % kSampleEvery == 0) parts_.accounting.keep(now);
  if (seconds_ % kSpoolEvery == 1) bound_spool();
  if (parts_.scheduler.cluster().state().records.empty()) return;
  task_lists_.look(parts_.scheduler.cluster().state());
  parts_.needs.every_second();
  parts_.lending.every_second(now);
  if (seconds_ % kSampleEvery == 0 || parts_.needs.watches() || parts_.lending.watches()) sample_nodes();
  if (seconds_ % kOutputEvery != 0) return;
  std::vector<RunningTask> running = running_tasks(parts_.scheduler.cluster().state());
  if (!parts_.input.blocked) announcements_.look(running);
  bound_output(std::move(running));
}

void Housekeeping::sample_nodes() {
  for (const Node& node : parts_.scheduler.cluster().view().nodes) {
    if (!node.answers() || !sampled_.insert(node.id).second) continue;  // its answer is still to come
    parts_.hypervisor.sample(node.id, [this](NodeId id, const std::vector<VmSample>& samples) {
      take_samples(samples);
      parts_.inbox.post(Continuation{[this, id] {
        sampled_.erase(id);
        // One write for all nodes; one that does not answer delays it until the next time.
        if (sampled_.empty()) parts_.accounting.keep(parts_.clock.now());
      }});
    });
  }
}

// Called on a thread of the hypervisor.
void Housekeeping::take_samples(const std::vector<VmSample>& samples) {
  if (samples.empty()) return;
  parts_.inbox.post(Continuation{[this, usage = as_usage(samples), at = parts_.clock.now()] {
    parts_.accounting.read(usage, at);
    parts_.needs.read(usage, at);
    parts_.lending.read(usage, at);
  }});
}

void Housekeeping::bound_output(std::vector<RunningTask> running) {
  const Memory limit = parts_.settings.limits.max_output;
  parts_.files.run([this, limit, running = std::move(running)]() -> std::function<void()> {
    for (const RunningTask& each : running)
      if (auto excess = excessive_output(spool_, each, limit))
        parts_.inbox.post(Event{Cancelled{each.job, JobResult::failed, std::move(*excess)}});
    return {};
  });
}

// A job number that was given and is not the core's any more has ended. Numbers that are given while the
// files are looked at are larger than all of these.
void Housekeeping::bound_spool() {
  if (std::exchange(looking_at_spool_, true)) return;
  const CoreState& state = parts_.scheduler.cluster().state();
  std::set<JobId> alive;
  for (const auto& [id, record] : state.records) alive.insert(id);
  const RetentionRule rule{parts_.settings.spool.keep, parts_.settings.spool.keep_size};
  parts_.files.run(
      [this, rule, next = state.next_job, alive = std::move(alive)]() -> std::function<void()> {
        const auto has_ended = [&](JobId job) { return job < next && !alive.contains(job); };
        std::vector<KeptOutput> kept = kept_outputs(spool_, has_ended);
        SpoolUse use;
        for (const KeptOutput& output : kept) use.ended += output.size;
        for (const KeptOutput& output : overdue(std::move(kept), rule, file_clock_now()))
          if (remove_output(spool_, output.job)) use.ended -= output.size;
        if (const auto free = free_space(spool_.root())) use.free = *free;
        return [this, use] {
          spool_use_ = use;
          looking_at_spool_ = false;
        };
      });
}

void Housekeeping::clear_away(const std::vector<JobOutcome>& ended) {
  if (ended.empty()) return;
  std::vector<JobId> jobs;
  for (const JobOutcome& outcome : ended) jobs.push_back(outcome.job);
  parts_.files.run([&hypervisor = parts_.hypervisor, jobs = std::move(jobs)]() -> std::function<void()> {
    for (const JobId job : jobs) hypervisor.forget(job);
    return {};
  });
}

void Housekeeping::release_contents(const std::vector<JobOutcome>& ended) {
  std::vector<std::string> contents;
  for (const JobOutcome& outcome : ended)
    std::ranges::copy(contents_to_keep(*outcome.submission), std::back_inserter(contents));
  if (contents.empty()) return;
  parts_.files.run([&store = parts_.contents, contents = std::move(contents)]() -> std::function<void()> {
    store.release(contents);
    return {};
  });
}

// What is still not known of a node is asked of the present view, not of the step.
void Housekeeping::on_durable(const Step& step) {
  clear_away(step.ended);
  release_contents(step.ended);
  const std::vector<Node>& nodes = parts_.scheduler.cluster().view().nodes;
  for (const Event& event : step.events) {
    const auto* changed = std::get_if<NodeChanged>(&event);
    if (!changed || changed->state != NodeState::up || changed->node.raw >= nodes.size()) continue;
    if (wants_to_know(nodes[changed->node.raw])) ask(changed->node);
  }
}

// What the configuration leaves to the node is asked once it answers.
bool Housekeeping::wants_to_know(const Node& node) const {
  const bool size = node.capacity.raw == 0 || node.memory.raw == 0;
  return size || asks_libvirt(parts_.nodes.at(node.id.raw).devices);
}

void Housekeeping::forget_spent_devices() {
  const Cluster& cluster = parts_.scheduler.cluster();
  for (const Node& node : cluster.view().nodes)
    if (node.usable() && has_spent_slots(node, cluster.ledger().free_devices().on(node.id))) ask(node.id);
}

void Housekeeping::ask_for_devices() {
  for (const Node& node : parts_.scheduler.cluster().view().nodes)
    if (node.usable() && asks_libvirt(parts_.nodes.at(node.id.raw).devices)) ask(node.id);
}

void Housekeeping::ask(NodeId id) {
  if (!asked_.insert(id).second) return;  // its answer is still to come
  parts_.probes.run([this, id]() -> std::function<void()> {
    auto facts = parts_.hypervisor.node_facts(id, kNodePatience, false);
    return [this, id, facts = std::move(facts)] {
      asked_.erase(id);
      if (facts) learn(id, *facts);
    };
  });
}

void Housekeeping::learn(NodeId id, const NodeFacts& facts) {
  if (parts_.input.blocked) {  // the next step may be far away: what is known then counts
    ask_later_.insert(id);
    return;
  }
  if (parts_.input.changes_nodes())
    return parts_.inbox.post(Continuation{[this, id, facts] { learn(id, facts); }});
  const Cluster& cluster = parts_.scheduler.cluster();
  Configured said{cluster.view().nodes, cluster.view().device_models};
  // It may have been removed since it was asked, and a removed node must not be named again.
  const Node& before = cluster.view().nodes.at(id.raw);
  const auto is_removed = [this](const Node& node) {
    const auto& in_force = parts_.settings.nodes;
    return std::ranges::find(in_force, node.name, &NodeSettings::name) == in_force.end();
  };
  if (is_removed(before)) return;
  std::erase_if(said.nodes, is_removed);
  for (Node& each : said.nodes) each.state = NodeState::up;  // no news of whether it answers
  const NodeSettings& setting = parts_.nodes.at(id.raw);
  Node& node = *std::ranges::find(said.nodes, id, &Node::id);
  node.charge_others({});  // the size is that of the node alone; the core takes them off again
  if (setting.cores == 0) {
    node.cores = facts.cores;
    node.capacity = capacity_of(setting, facts.cores);
  }
  if (!setting.memory) node.memory = std::max(Memory{}, facts.memory - setting.reserve);
  if (facts.devices_unknown.empty())
    set_devices(take_stock(setting.devices, parts_.settings.device_models, facts.devices).words, cluster,
                &before, said.device_models, node);
  Node alone = before;
  alone.charge_others({});
  const auto told = [](const Node& n) {
    return std::tie(n.cores, n.capacity, n.memory, n.devices, n.device_places);
  };
  if (told(node) != told(alone)) parts_.input.events.emplace_back(std::move(said));
}

}  // namespace aliquot
