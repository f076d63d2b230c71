// The metrics with a label for the node or the account: which series exist at an instant, and the sums
// behind them. Used by the loop's thread only (metrics.cpp).
//
// Every node of the configuration has series in any state; a node that the configuration no longer names
// has none. Users choose the names of accounts, so the number of accounts with series is bounded.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "monitor/metric_families.hpp"
#include "monitor/vm_usage.hpp"
#include "policies/model/view.hpp"
#include "policies/power/energy.hpp"

namespace aliquot {

[[nodiscard]] constexpr double in_cores(Cpu cpu) {
  return static_cast<double>(cpu.raw) / static_cast<double>(kMillion);
}

// The counters of used, stolen and throttled CPU time that nodes and accounts both have. An unknown amount
// has no series, rather than 0.
class CpuCounters {
 public:
  struct Kinds {
    Metric cpu, delay, throttled;
  };
  CpuCounters() = default;
  CpuCounters(MetricFamilies& families, Kinds kinds, MetricFamilies::Labels labels)
      : families_(&families), kinds_(kinds), labels_(std::move(labels)) {
    (void)families.counter(kinds.cpu, labels_);
  }

  void add(const Usage& more) const {
    add(kinds_.cpu, more.cpu);
    add(kinds_.delay, more.stolen());
    add(kinds_.throttled, more.throttled);
  }

 private:
  void add(Metric metric, std::optional<Duration> more) const {
    if (more) families_->counter(metric, labels_).Increment(to_seconds(*more));
  }

  MetricFamilies* families_ = nullptr;  // which outlives this
  Kinds kinds_{};
  MetricFamilies::Labels labels_;
};

// The memory of running VMs whose guests tell what they use of it.
struct ToldMemory {
  Memory told;
  Memory used;
  void add(const GuestMemory& more) {
    told += more.given;
    used += more.used();
  }
  // Memory of which nothing is known has no series, rather than 0.
  void tell(MetricFamilies& families, Metric told_metric, Metric used_metric,
            const MetricFamilies::Labels& labels) const;
};

// What one node holds at one instant.
struct NodeReading {
  std::int64_t vms = 0;
  Cpu promised;
  Memory memory;
  Memory lent;  // what is declared beyond it
  Cpu granted;
  Cpu own;  // the same as granted, in cores of the node
  ToldMemory guests;
};

class NodeSeries {
 public:
  explicit NodeSeries(MetricFamilies& families) : families_(families) {}

  // Sets the nodes that have series; before the first call, all nodes of the view have.
  void configured(const std::vector<Node>& nodes);
  // `readings` by NodeId.
  void tell(const std::vector<Node>& nodes, const std::vector<NodeReading>& readings, Instant now);
  void used(const Node& node, const UsageIncrease& increase);
  // Do VMs of another cluster run on the node?
  void held_by_other(const std::string& node, bool held);
  void messages_refused(const std::string& node, std::uint64_t count);
  void epochs_refused(const std::string& node, std::uint64_t count);
  // What it has drawn since the start.
  void energy(const std::string& node, double joules);
  void orphans(const std::string& node, std::size_t count);
  // Counts a libvirt call on the node.
  void called(const std::string& node, Duration took, bool failed);

 private:
  struct Entry {
    prometheus::Gauge* up = nullptr;
    std::vector<prometheus::Gauge*> states;    // by NodeState
    std::vector<prometheus::Gauge*> services;  // by NodeService
    std::vector<prometheus::Gauge*> powers;    // by NodePower
    prometheus::Counter* energy = nullptr;
    prometheus::Gauge* other_cluster = nullptr;
    prometheus::Counter* messages_refused = nullptr;
    prometheus::Counter* epochs_refused = nullptr;
    prometheus::Gauge* other_vms = nullptr;
    prometheus::Gauge* other_memory = nullptr;
    prometheus::Gauge* other_cpu = nullptr;
    prometheus::Gauge* orphans = nullptr;
    prometheus::Gauge* vms = nullptr;
    prometheus::Gauge* allocated = nullptr;
    prometheus::Gauge* granted = nullptr;
    prometheus::Gauge* capacity = nullptr;
    prometheus::Gauge* memory_allocated = nullptr;
    prometheus::Gauge* memory_lent = nullptr;
    prometheus::Gauge* memory_capacity = nullptr;
    prometheus::Counter* allowed = nullptr;
    CpuCounters used;
    prometheus::Counter* busy = nullptr;
    prometheus::Counter* busy_allowed = nullptr;
    prometheus::Counter* calls = nullptr;
    prometheus::Counter* call_time = nullptr;
    prometheus::Counter* call_failures = nullptr;
    Cpu own_before;  // granted since the last tell()
  };
  // None: the configuration does not name it.
  Entry* entry(const std::string& name);
  void remove(const std::string& name);

  MetricFamilies& families_;
  std::optional<std::set<std::string>> configured_;
  std::map<std::string, Entry> nodes_;
  Instant told_;
};

// The sums over the jobs of one account at one instant.
struct AccountReading {
  std::int64_t running = 0;
  std::int64_t pending = 0;
  Cpu declared;
  Cpu needed;
  Cpu promised;
  Cpu granted;
  Cpu own;  // the same as granted, in cores of the VMs' nodes
  Memory lent;
  power::Watts draw{};
  ToldMemory guests;
};

// Readings are summed by account name and published together. Accounts beyond the bound are counted as
// "other", jobs without an account as "(none)". The series of an account are removed when nothing has been
// heard of it for kLinger.
class AccountSeries {
 public:
  static constexpr std::size_t kMost = 256;
  static constexpr Duration kLinger = seconds(600);

  explicit AccountSeries(MetricFamilies& families) : families_(families) {}

  // The sums to add to; tell() publishes and resets them.
  AccountReading& reading(std::string_view account, Instant now) { return entry(account, now).reading; }
  void used(std::string_view account, const Usage& more, Instant now);
  void tell(Instant now);

 private:
  struct Entry {
    prometheus::Gauge* running = nullptr;
    prometheus::Gauge* pending = nullptr;
    prometheus::Gauge* declared = nullptr;
    prometheus::Gauge* needed = nullptr;
    prometheus::Gauge* promised = nullptr;
    prometheus::Gauge* granted = nullptr;
    prometheus::Gauge* lent = nullptr;
    prometheus::Gauge* fairness = nullptr;
    prometheus::Counter* allowed = nullptr;
    prometheus::Counter* promised_time = nullptr;
    prometheus::Counter* energy = nullptr;
    CpuCounters used;
    AccountReading reading;
    Cpu own_before;  // granted since the last telling
    Cpu promised_before;
    power::Watts draw_before{};
    Instant heard;
  };
  Entry& entry(std::string_view account, Instant now);
  void open(const std::string& label, Entry& entry);
  void remove(const std::string& label);

  MetricFamilies& families_;
  std::map<std::string, Entry, std::less<>> accounts_;  // by label
  Instant told_;
};

}  // namespace aliquot
