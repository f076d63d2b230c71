#include "policies/dfrs/greedy_place.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {

namespace {

struct Host {
  Cpu load;
  std::uint32_t node;
  std::uint32_t units = 0;
};

// Relative to the capacity; among equals the lower node comes first.
class LessLoaded {
 public:
  explicit LessLoaded(const Draft& draft) : draft_(draft) {
    const Cpu first = draft.node_runs().empty() ? Cpu{} : draft.node_runs().front().capacity;
    alike_ = first.raw > 0 && std::all_of(draft.node_runs().begin(), draft.node_runs().end(),
                                          [=](const NodeRun& nodes) { return nodes.capacity == first; });
  }
  bool operator()(const Host& a, const Host& b) const {
    if (alike_) return a.load != b.load ? a.load < b.load : a.node < b.node;
    const Int128 left = static_cast<Int128>(a.load.raw) * draft_.node(b.node).capacity.raw;
    const Int128 right = static_cast<Int128>(b.load.raw) * draft_.node(a.node).capacity.raw;
    return left != right ? left < right : a.node < b.node;
  }

 private:
  const Draft& draft_;
  bool alike_ = false;
};

class Hosts {
 public:
  // Without `load`: the needs of the tasks there.
  Hosts(const Draft& draft, const Demand& demand, std::span<const Cpu> load)
      : draft_(draft),
        demand_(demand),
        load_(load),
        each_(guaranteed_cpu(demand)),
        less_loaded_(draft),
        hosts_(draft.memory()) {}

  // The least loaded nodes that take a task, at most as many as there are tasks: each task finds one among
  // them that has none yet. False: there is no room for all tasks.
  [[nodiscard]] bool choose() {
    const Room* const rooms = draft_.rooms().all();
    std::int64_t missing = demand_.tasks;
    for (const NodeRun& nodes : draft_.node_runs()) {
      if (!nodes.usable) continue;
      for (std::uint32_t n = nodes.first; n < nodes.first + nodes.count; ++n) {
        if (!takes(nodes.capacity, rooms[n], 1)) continue;
        if (missing > 0) missing -= slots_beside(draft_.node(n), rooms[n], demand_);
        offer({load_.empty() ? rooms[n].load : load_[n], n});
      }
    }
    return missing <= 0;
  }

  [[nodiscard]] Placement place() {
    const auto after = [&](const Host& a, const Host& b) { return less_loaded_(b, a); };
    Placement placement;
    std::make_heap(hosts_.begin(), hosts_.end(), after);
    for (std::uint32_t task = 0; task < demand_.tasks; ++task) {
      std::pop_heap(hosts_.begin(), hosts_.end(), after);
      Host& host = hosts_.back();
      host.load += demand_.need;
      ++host.units;
      if (takes(draft_.node(host.node).capacity, draft_.room(host.node), host.units + 1)) {
        std::push_heap(hosts_.begin(), hosts_.end(), after);
      } else {
        placement.push_back({NodeId{host.node}, host.units});
        hosts_.pop_back();
      }
    }
    for (const Host& host : hosts_) {
      if (host.units > 0) placement.push_back({NodeId{host.node}, host.units});
    }
    std::sort(placement.begin(), placement.end());
    return placement;
  }

 private:
  [[nodiscard]] bool takes(Cpu capacity, const Room& room, std::int64_t units) const {
    return demand_.memory * units <= room.free && each_ * units <= capacity - room.guaranteed;
  }

  // The most loaded of those that are kept stands first.
  void offer(const Host& host) {
    if (hosts_.size() >= std::max(1U, demand_.tasks)) {
      if (!less_loaded_(host, hosts_.front())) return;
      std::pop_heap(hosts_.begin(), hosts_.end(), less_loaded_);
      hosts_.pop_back();
    }
    hosts_.push_back(host);
    std::push_heap(hosts_.begin(), hosts_.end(), less_loaded_);
  }

  const Draft& draft_;
  const Demand& demand_;
  const std::span<const Cpu> load_;
  const Cpu each_;
  const LessLoaded less_loaded_;
  std::pmr::vector<Host> hosts_;
};

}  // namespace

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand) {
  return greedy_placement(draft, demand, {});
}

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                          std::span<const Cpu> load) {
  Hosts hosts(draft, demand, load);
  if (!hosts.choose()) return std::nullopt;
  return hosts.place();
}

}  // namespace aliquot
