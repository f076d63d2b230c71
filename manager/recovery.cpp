#include "manager/recovery.hpp"

#include <algorithm>

#include "manager/api/answers/accounts_in_force.hpp"
#include "manager/clock.hpp"
#include "manager/core/recorded.hpp"
#include "manager/device_slots.hpp"

namespace aliquot {
namespace {

constexpr std::uint64_t kFirstEpoch = 1;

}  // namespace

Mode mode_of(const std::string& word) {
  if (word == "off") return Mode::off;
  if (word == "advise") return Mode::advise;
  return Mode::automatic;
}

Result<std::unique_ptr<Scheduler>> recover_scheduler(Recovered recovered, const Settings& settings,
                                                     Scheduler::Stopwatch stopwatch, JobId newest_job) {
  const bool known = recovered.snapshot.has_value();
  const std::string spec =
      known && !recovered.snapshot->policy.empty() ? recovered.snapshot->policy : settings.policy.spec;
  Result<std::unique_ptr<Policy>> policy = make_policy(spec);
  if (!policy) {
    return fail(ErrorKind::unsupported, "the policy in force when the manager stopped cannot be resumed: " +
                                            policy.error().message +
                                            "; start the version that knew it and set another");
  }
  const auto damaged = [](const std::string& part, const Error& error) {
    return fail(ErrorKind::refused, "the store is damaged: " + part + ": " + error.message +
                                        ": put a backup in its place with 'aliquot db restore'");
  };
  if (known)
    if (auto sound = check_recorded(*recovered.snapshot); !sound)
      return damaged("the snapshot", sound.error());
  CoreState state = known ? std::move(*recovered.snapshot) : Cluster(std::vector<Node>{}).state();
  state.next_job.raw = std::max(state.next_job.raw, newest_job.raw + 1);
  Cluster cluster(std::move(state));
  auto scheduler =
      std::make_unique<Scheduler>(std::move(cluster), std::move(*policy), std::move(stopwatch));
  for (const Step& step : recovered.steps)
    if (auto replayed = scheduler->replay(step); !replayed)
      return damaged("step " + std::to_string(step.number), replayed.error());
  return scheduler;
}

Result<std::unique_ptr<Scheduler>> go_on_with(std::unique_ptr<Scheduler> hot, Recovered recovered,
                                              const Settings& settings, JobId newest_job) {
  if (hot && recovered.is_known) {
    if (hot->cluster().state().next_job > newest_job) return hot;
    recovered.snapshot = hot->cluster().state();
  }
  return recover_scheduler(std::move(recovered), settings, LiveClock::stopwatch_ns, newest_job);
}

KnownStep newest_step(const Scheduler& scheduler) {
  const CoreState& state = scheduler.cluster().state();
  return {state.steps, state.view.now};
}

Cpu capacity_of(const NodeSettings& setting, std::uint32_t cores_there) {
  const Cpu shared = std::max(Cpu{}, cores(cores_there) - setting.reserve_cores);
  return {static_cast<std::int64_t>(Int128{shared.raw} * setting.speed_ppm / kMillion)};
}

void set_devices(const std::vector<DeviceWord>& words, const Cluster& cluster, const Node* before,
                 std::vector<std::string>& models, Node& node) {
  node.devices = slots_of(words, models);
  node.device_places = slot_places(words);
  if (before != nullptr)
    keep_slots(*before, held_slots(*before, cluster.ledger().free_devices().on(before->id)), node);
}

namespace {

// The node that is known by this name, or was before it was renamed.
const Node* known_node(const Cluster& cluster, const std::vector<NodeRenamed>& renamed, std::string name) {
  for (const NodeRenamed& each : renamed)
    if (each.to == name) name = each.from;
  const std::vector<Node>& nodes = cluster.view().nodes;
  const auto found = std::ranges::find(nodes, name, &Node::name);
  return found == nodes.end() ? nullptr : &*found;
}

// What the settings leave to the node is taken to be what it was, until it has been asked: VMs may be on
// it.
void keep_size(const NodeSettings& setting, const Node& before, Node& node) {
  if (setting.cores == 0) {
    node.cores = before.cores;
    node.capacity = capacity_of(setting, before.cores);
  }
  if (!setting.memory) node.memory = before.memory + before.memory_taken;
}

}  // namespace

Configured configured_nodes(const Settings& settings, const Cluster& cluster,
                            const std::vector<NodeRenamed>& renamed, bool running) {
  Configured said{{}, cluster.view().device_models, renamed};
  for (const NodeSettings& setting : settings.nodes) {
    Node node;
    node.id = {static_cast<std::uint32_t>(said.nodes.size())};
    node.name = setting.name;
    node.cores = setting.cores;
    node.capacity = capacity_of(setting, setting.cores);
    if (setting.memory) node.memory = std::max(Memory{}, *setting.memory - setting.reserve);
    node.state = NodeState::suspect;
    node.hypervisor = setting.hypervisor;
    node.keeps_saves = setting.local_saves;
    node.address = setting.address;
    node.bandwidth = setting.bandwidth;
    const Node* before = known_node(cluster, renamed, setting.name);
    if (before != nullptr) keep_size(setting, *before, node);
    // A node that sleeps cannot be asked, and is to be known when it is needed.
    if (before != nullptr && (running || before->power != NodePower::on)) node.state = before->state;
    if (asks_libvirt(setting.devices) && before != nullptr) {
      node.devices = before->devices;
      node.device_places = before->device_places;
    } else {
      set_devices(setting.devices, cluster, before, said.device_models, node);
    }
    said.nodes.push_back(std::move(node));
  }
  return said;
}

std::vector<Event> settings_taken(const PolicySettings& settings, const CoreState& state) {
  std::vector<Event> events;
  const auto policy = make_policy(settings.spec);
  const std::string spec = policy ? (*policy)->name() : settings.spec;
  if (!state.policy_origin.by && state.policy != spec) events.emplace_back(PolicyChanged{spec});
  const Mode mode = mode_of(settings.mode);
  if (!state.mode_origin.by && state.mode != mode) events.emplace_back(ModeChanged{mode});
  return events;
}

std::vector<Event> moves_taken(const MoveTerms& configured, const CoreState& state) {
  if (configured == state.moves) return {};
  return {MoveTermsChanged{configured}};
}

std::vector<Event> start_events(Configured nodes, const Settings& settings, const Cluster& cluster,
                                std::uint64_t epoch) {
  std::vector<Event> events{std::move(nodes)};
  if (epoch > kFirstEpoch) {
    events.emplace_back(Restarted{epoch});
    std::ranges::move(settings_taken(settings.policy, cluster.state()), std::back_inserter(events));
  } else {
    events.emplace_back(PolicyChanged{settings.policy.spec});
    events.emplace_back(ModeChanged{mode_of(settings.policy.mode)});
  }
  std::ranges::move(accounts_taken(settings.accounts, cluster.state()), std::back_inserter(events));
  std::ranges::move(moves_taken(settings.moves, cluster.state()), std::back_inserter(events));
  return events;
}

}  // namespace aliquot
