#include "monitor/labelled_series.hpp"

#include <array>
#include <utility>

#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::array kByNode{Metric::node_up,
                             Metric::node_energy,
                             Metric::node_other_cluster,
                             Metric::node_messages_refused,
                             Metric::node_epochs_refused,
                             Metric::node_other_vms,
                             Metric::node_other_memory,
                             Metric::node_other_cpu,
                             Metric::node_orphan_vms,
                             Metric::node_vms,
                             Metric::node_cpu_allocated,
                             Metric::node_cpu_granted,
                             Metric::node_cpu_capacity,
                             Metric::node_memory_allocated,
                             Metric::node_memory_lent,
                             Metric::node_memory_capacity,
                             Metric::node_memory_told,
                             Metric::node_memory_used,
                             Metric::vm_cpu_allowed,
                             Metric::vm_cpu,
                             Metric::vm_cpu_delay,
                             Metric::vm_cpu_throttled,
                             Metric::vm_cpu_busy,
                             Metric::vm_cpu_busy_allowed,
                             Metric::node_calls,
                             Metric::node_call_time,
                             Metric::node_call_failures};

constexpr std::array kByAccount{
    Metric::account_memory_lent,  Metric::account_cpu_declared,      Metric::account_cpu_needed,
    Metric::account_cpu_promised, Metric::account_cpu_granted,       Metric::account_fairness,
    Metric::account_cpu_allowed,  Metric::account_cpu_promised_time, Metric::account_cpu,
    Metric::account_cpu_delay,    Metric::account_cpu_throttled,     Metric::account_energy,
    Metric::account_memory_told,  Metric::account_memory_used};

// To this value; a counter never falls.
void rise(prometheus::Counter& counter, double to) {
  if (to > counter.Value()) counter.Increment(to - counter.Value());
}

// What part of its need it is promised.
double satisfied(const AccountReading& reading) {
  return reading.needed.raw == 0 ? 1 : in_cores(reading.promised) / in_cores(reading.needed);
}

}  // namespace

void ToldMemory::tell(MetricFamilies& families, Metric told_metric, Metric used_metric,
                      const MetricFamilies::Labels& labels) const {
  if (told.raw == 0) {
    families.remove(told_metric, labels);
    families.remove(used_metric, labels);
    return;
  }
  families.gauge(told_metric, labels).Set(static_cast<double>(told.raw));
  families.gauge(used_metric, labels).Set(static_cast<double>(used.raw));
}

void NodeSeries::configured(const std::vector<Node>& nodes) {
  configured_.emplace();
  for (const Node& node : nodes) configured_->insert(node.name);
  for (auto at = nodes_.begin(); at != nodes_.end();) {
    const auto here = at++;
    if (configured_->contains(here->first)) continue;
    remove(here->first);
    nodes_.erase(here);
  }
}

NodeSeries::Entry* NodeSeries::entry(const std::string& name) {
  if (configured_ && !configured_->contains(name)) return nullptr;
  const auto [at, is_new] = nodes_.try_emplace(name);
  Entry& entry = at->second;
  if (!is_new) return &entry;
  const MetricFamilies::Labels node{{"node", name}};
  entry.up = &families_.gauge(Metric::node_up, node);
  for (const auto state : words<NodeState>())
    entry.states.push_back(
        &families_.gauge(Metric::node_state, {{"node", name}, {"state", std::string(state)}}));
  for (const auto service : words<NodeService>())
    entry.services.push_back(
        &families_.gauge(Metric::node_service, {{"node", name}, {"service", std::string(service)}}));
  for (const auto power : words<NodePower>())
    entry.powers.push_back(
        &families_.gauge(Metric::node_power, {{"node", name}, {"power", std::string(power)}}));
  entry.energy = &families_.counter(Metric::node_energy, node);
  entry.other_cluster = &families_.gauge(Metric::node_other_cluster, node);
  entry.messages_refused = &families_.counter(Metric::node_messages_refused, node);
  entry.epochs_refused = &families_.counter(Metric::node_epochs_refused, node);
  entry.other_vms = &families_.gauge(Metric::node_other_vms, node);
  entry.other_memory = &families_.gauge(Metric::node_other_memory, node);
  entry.other_cpu = &families_.gauge(Metric::node_other_cpu, node);
  entry.orphans = &families_.gauge(Metric::node_orphan_vms, node);
  entry.vms = &families_.gauge(Metric::node_vms, node);
  entry.allocated = &families_.gauge(Metric::node_cpu_allocated, node);
  entry.granted = &families_.gauge(Metric::node_cpu_granted, node);
  entry.capacity = &families_.gauge(Metric::node_cpu_capacity, node);
  entry.memory_allocated = &families_.gauge(Metric::node_memory_allocated, node);
  entry.memory_lent = &families_.gauge(Metric::node_memory_lent, node);
  entry.memory_capacity = &families_.gauge(Metric::node_memory_capacity, node);
  entry.allowed = &families_.counter(Metric::vm_cpu_allowed, node);
  entry.used = {families_, {Metric::vm_cpu, Metric::vm_cpu_delay, Metric::vm_cpu_throttled}, node};
  entry.busy = &families_.counter(Metric::vm_cpu_busy, node);
  entry.busy_allowed = &families_.counter(Metric::vm_cpu_busy_allowed, node);
  entry.calls = &families_.counter(Metric::node_calls, node);
  entry.call_time = &families_.counter(Metric::node_call_time, node);
  entry.call_failures = &families_.counter(Metric::node_call_failures, node);
  return &entry;
}

void NodeSeries::remove(const std::string& name) {
  for (const auto state : words<NodeState>())
    families_.remove(Metric::node_state, {{"node", name}, {"state", std::string(state)}});
  for (const auto service : words<NodeService>())
    families_.remove(Metric::node_service, {{"node", name}, {"service", std::string(service)}});
  for (const auto power : words<NodePower>())
    families_.remove(Metric::node_power, {{"node", name}, {"power", std::string(power)}});
  for (const Metric metric : kByNode) families_.remove(metric, {{"node", name}});
}

void NodeSeries::held_by_other(const std::string& node, bool held) {
  if (Entry* to = entry(node)) to->other_cluster->Set(held ? 1 : 0);
}

void NodeSeries::messages_refused(const std::string& node, std::uint64_t count) {
  if (Entry* to = entry(node)) rise(*to->messages_refused, static_cast<double>(count));
}

void NodeSeries::epochs_refused(const std::string& node, std::uint64_t count) {
  if (Entry* to = entry(node)) rise(*to->epochs_refused, static_cast<double>(count));
}

void NodeSeries::energy(const std::string& node, double joules) {
  if (Entry* to = entry(node)) rise(*to->energy, joules);
}

void NodeSeries::orphans(const std::string& node, std::size_t count) {
  if (Entry* to = entry(node)) to->orphans->Set(static_cast<double>(count));
}

void NodeSeries::tell(const std::vector<Node>& nodes, const std::vector<NodeReading>& readings,
                      Instant now) {
  const double elapsed = to_seconds(now - told_);
  told_ = now;
  for (const Node& node : nodes) {
    Entry* to = entry(node.name);
    if (to == nullptr) continue;
    const NodeReading& reading = readings.at(node.id.raw);
    to->up->Set(node.usable() ? 1 : 0);
    for (std::size_t state = 0; state < to->states.size(); ++state)
      to->states[state]->Set(static_cast<std::size_t>(node.state) == state ? 1 : 0);
    for (std::size_t service = 0; service < to->services.size(); ++service)
      to->services[service]->Set(static_cast<std::size_t>(node.service) == service ? 1 : 0);
    for (std::size_t power = 0; power < to->powers.size(); ++power)
      to->powers[power]->Set(static_cast<std::size_t>(node.power) == power ? 1 : 0);
    to->other_vms->Set(node.others.count);
    to->other_memory->Set(static_cast<double>(node.others.memory.raw));
    to->other_cpu->Set(in_cores(node.others.cpu));
    to->vms->Set(static_cast<double>(reading.vms));
    to->allocated->Set(node.capacity.raw > 0 ? in_cores(reading.promised) / in_cores(node.capacity) : 0);
    to->granted->Set(in_cores(reading.granted));
    to->capacity->Set(in_cores(node.capacity));
    to->memory_allocated->Set(static_cast<double>(reading.memory.raw));
    to->memory_lent->Set(static_cast<double>(reading.lent.raw));
    to->memory_capacity->Set(static_cast<double>(node.memory.raw));
    to->allowed->Increment(in_cores(std::exchange(to->own_before, reading.own)) * elapsed);
    reading.guests.tell(families_, Metric::node_memory_told, Metric::node_memory_used,
                        {{"node", node.name}});
  }
}

void NodeSeries::used(const Node& node, const UsageIncrease& increase) {
  const Entry* to = entry(node.name);
  if (to == nullptr) return;
  to->used.add(increase.more);
  if (!increase.busy) return;
  to->busy->Increment(to_seconds(increase.more.cpu));
  to->busy_allowed->Increment(to_seconds(increase.granted));
}

void NodeSeries::called(const std::string& node, Duration took, bool failed) {
  const Entry* to = entry(node);
  if (to == nullptr) return;
  to->calls->Increment();
  to->call_time->Increment(to_seconds(took));
  if (failed) to->call_failures->Increment();
}

AccountSeries::Entry& AccountSeries::entry(std::string_view account, Instant now) {
  if (account.empty()) account = "(none)";
  auto found = accounts_.find(account);
  if (found == accounts_.end() && accounts_.size() >= kMost) found = accounts_.find(account = "other");
  if (found == accounts_.end()) {
    found = accounts_.emplace(account, Entry{}).first;
    open(found->first, found->second);
  }
  found->second.heard = now;
  return found->second;
}

void AccountSeries::open(const std::string& label, Entry& entry) {
  const MetricFamilies::Labels account{{"account", label}};
  entry.running = &families_.gauge(Metric::account_jobs, {{"account", label}, {"state", "running"}});
  entry.pending = &families_.gauge(Metric::account_jobs, {{"account", label}, {"state", "pending"}});
  entry.declared = &families_.gauge(Metric::account_cpu_declared, account);
  entry.needed = &families_.gauge(Metric::account_cpu_needed, account);
  entry.promised = &families_.gauge(Metric::account_cpu_promised, account);
  entry.granted = &families_.gauge(Metric::account_cpu_granted, account);
  entry.lent = &families_.gauge(Metric::account_memory_lent, account);
  entry.fairness = &families_.gauge(Metric::account_fairness, account);
  entry.allowed = &families_.counter(Metric::account_cpu_allowed, account);
  entry.promised_time = &families_.counter(Metric::account_cpu_promised_time, account);
  entry.energy = &families_.counter(Metric::account_energy, account);
  entry.used = {
      families_, {Metric::account_cpu, Metric::account_cpu_delay, Metric::account_cpu_throttled}, account};
}

void AccountSeries::remove(const std::string& label) {
  for (const auto* state : {"running", "pending"})
    families_.remove(Metric::account_jobs, {{"account", label}, {"state", state}});
  for (const Metric metric : kByAccount) families_.remove(metric, {{"account", label}});
}

void AccountSeries::used(std::string_view account, const Usage& more, Instant now) {
  entry(account, now).used.add(more);
}

void AccountSeries::tell(Instant now) {
  AccountReading all;
  for (const auto& [label, entry] : accounts_) {
    all.needed += entry.reading.needed;
    all.promised += entry.reading.promised;
  }
  const double usual = satisfied(all);
  const double elapsed = to_seconds(now - told_);
  told_ = now;
  for (auto at = accounts_.begin(); at != accounts_.end();) {
    auto& [label, entry] = *at;
    const AccountReading reading = std::exchange(entry.reading, {});
    entry.running->Set(static_cast<double>(reading.running));
    entry.pending->Set(static_cast<double>(reading.pending));
    entry.declared->Set(in_cores(reading.declared));
    entry.needed->Set(in_cores(reading.needed));
    entry.promised->Set(in_cores(reading.promised));
    entry.granted->Set(in_cores(reading.granted));
    entry.lent->Set(static_cast<double>(reading.lent.raw));
    entry.fairness->Set(reading.needed.raw == 0 || usual == 0 ? 1 : satisfied(reading) / usual);
    entry.allowed->Increment(in_cores(std::exchange(entry.own_before, reading.own)) * elapsed);
    entry.promised_time->Increment(in_cores(std::exchange(entry.promised_before, reading.promised)) *
                                   elapsed);
    entry.energy->Increment(power::to_watts(std::exchange(entry.draw_before, reading.draw)) * elapsed);
    reading.guests.tell(families_, Metric::account_memory_told, Metric::account_memory_used,
                        {{"account", label}});
    if (now - entry.heard < kLinger) {
      ++at;
    } else {
      remove(label);
      at = accounts_.erase(at);
    }
  }
}

}  // namespace aliquot
