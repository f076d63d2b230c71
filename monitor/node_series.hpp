// The series of the nodes: those that the configuration names have series, whatever their state; of one
// that it names no longer they are gone, though the cluster remembers its number.
//
// Readings are added up by node and told together. Belongs to the loop's thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "monitor/cpu_counters.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

// What stands on one node at one instant.
struct NodeReading {
  std::int64_t vms = 0;
  Cpu promised;
  Memory memory;
  Cpu granted;
  Cpu own;  // of what is granted, in its own cores
};

class NodeSeries {
 public:
  explicit NodeSeries(MetricFamilies& families) : families_(families) {}

  // From now on these are the nodes; until it is said, all of a view.
  void configured(const std::vector<Node>& nodes);
  // `readings` by NodeId.
  void tell(const std::vector<Node>& nodes, const std::vector<NodeReading>& readings, Instant now);
  void used(const Node& node, const UsageIncrease& increase);
  // Its libvirt was called.
  void called(const std::string& node, Duration took, bool failed);

 private:
  struct Entry {
    prometheus::Gauge* up = nullptr;
    std::vector<prometheus::Gauge*> states;  // by NodeState
    prometheus::Gauge* vms = nullptr;
    prometheus::Gauge* allocated = nullptr;
    prometheus::Gauge* granted = nullptr;
    prometheus::Gauge* capacity = nullptr;
    prometheus::Gauge* memory_allocated = nullptr;
    prometheus::Gauge* memory_capacity = nullptr;
    prometheus::Counter* allowed = nullptr;
    CpuCounters used;
    prometheus::Counter* busy = nullptr;
    prometheus::Counter* busy_allowed = nullptr;
    prometheus::Counter* calls = nullptr;
    prometheus::Counter* call_time = nullptr;
    prometheus::Counter* call_failures = nullptr;
    Cpu own_before;  // granted since the last telling
  };
  // None: the configuration does not name it.
  Entry* entry(const std::string& name);
  void remove(const std::string& name);

  MetricFamilies& families_;
  std::optional<std::set<std::string>> configured_;
  std::map<std::string, Entry> nodes_;
  Instant told_;
};

}  // namespace aliquot
