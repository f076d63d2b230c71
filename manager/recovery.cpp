#include "manager/recovery.hpp"

#include <algorithm>

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
                                                     Scheduler::Stopwatch stopwatch) {
  const bool known = recovered.snapshot.has_value();
  const std::string spec =
      known && !recovered.snapshot->policy.empty() ? recovered.snapshot->policy : settings.policy.spec;
  Result<std::unique_ptr<Policy>> policy = make_policy(spec);
  if (!policy) {
    return fail(ErrorKind::unsupported, "the policy in force when the manager stopped cannot be resumed: " +
                                            policy.error().message +
                                            "; start the version that knew it and set another");
  }
  Cluster cluster = known ? Cluster(std::move(*recovered.snapshot)) : Cluster(std::vector<Node>{});
  auto scheduler =
      std::make_unique<Scheduler>(std::move(cluster), std::move(*policy), std::move(stopwatch));
  for (const Step& step : recovered.steps) scheduler->replay(step);
  return scheduler;
}

Cpu capacity_of(const NodeSettings& setting, std::uint32_t cores_there) {
  const Cpu shared = std::max(Cpu{}, cores(cores_there) - setting.reserve_cores);
  return {static_cast<std::int64_t>(Int128{shared.raw} * setting.speed_ppm / kMillion)};
}

Configured configured_nodes(const Settings& settings) {
  Configured said;
  std::vector<Node>& nodes = said.nodes;
  for (const NodeSettings& setting : settings.nodes) {
    Node node;
    node.id = {static_cast<std::uint32_t>(nodes.size())};
    node.name = setting.name;
    node.cores = setting.cores;
    node.capacity = capacity_of(setting, setting.cores);
    if (setting.memory) node.memory = std::max(Memory{}, *setting.memory - setting.reserve);
    node.state = NodeState::suspect;
    node.devices = slots_of(setting.devices, said.device_models);
    nodes.push_back(std::move(node));
  }
  return said;
}

std::vector<Event> start_events(const Settings& settings, std::uint64_t epoch) {
  std::vector<Event> events{configured_nodes(settings)};
  if (epoch > kFirstEpoch) {
    events.emplace_back(Restarted{epoch});
  } else {
    events.emplace_back(PolicyChanged{settings.policy.spec});
    events.emplace_back(ModeChanged{mode_of(settings.policy.mode)});
  }
  return events;
}

}  // namespace aliquot
