#include "policies/dfrs/greedy_placement.hpp"

#include <algorithm>
#include <utility>

namespace aliquot {

namespace {

struct Host {
  Cpu load;
  Cpu capacity;
  std::uint32_t node;
  std::uint32_t units = 0;
};

// Relative to the capacity; among equals the lower node comes first.
constexpr auto less_loaded = [](const Host& a, const Host& b) {
  const Int128 left = static_cast<Int128>(a.load.raw) * b.capacity.raw;
  const Int128 right = static_cast<Int128>(b.load.raw) * a.capacity.raw;
  return left != right ? left < right : a.node < b.node;
};
constexpr auto more_loaded = [](const Host& a, const Host& b) { return less_loaded(b, a); };

class Hosts {
 public:
  Hosts(const Draft& draft, const Demand& demand)
      : draft_(draft),
        demand_(demand),
        guaranteed_(guaranteed_cpu(demand)),
        most_(std::max(1U, demand.tasks)),
        hosts_(draft.memory()) {
    hosts_.reserve(std::min(draft.nodes(), most_));
  }

  // The least loaded nodes that take a task, at most as many as there are tasks: each task finds one among
  // them that has none yet. False: there is no room for all tasks.
  template <class LoadOf>
  [[nodiscard]] bool choose(const LoadOf& load_of) {
    const SlotsBeside slots(demand_);
    std::int64_t missing = demand_.tasks;  // beyond the room that was found
    draft_.capacity().each_with_free(
        demand_.memory, [&](const NodeRun& run, std::uint32_t n, const NodeLedger& room) {
          const Host host{load_of(n, room), run.capacity, n};
          const bool better = hosts_.size() < most_ || less_loaded(host, hosts_.front());
          if ((!better && missing <= 0) || !takes(run.capacity, room, 1)) return;
          if (missing > 0) missing -= slots(run.capacity, room);
          if (better) add(host);
        });
    return missing <= 0;
  }

  // Each task goes to the node that is least loaded by then.
  [[nodiscard]] Placement place() {
    std::make_heap(hosts_.begin(), hosts_.end(), more_loaded);
    std::size_t size = hosts_.size();  // of the heap; behind it are those that take no more
    for (std::uint32_t task = 0; task < demand_.tasks; ++task) {
      if (!give(hosts_.front())) std::swap(hosts_.front(), hosts_[--size]);
      sift_down(size, less_loaded);
    }
    std::erase_if(hosts_, [](const Host& host) { return host.units == 0; });
    std::ranges::sort(hosts_, {}, &Host::node);
    Placement placement;
    placement.reserve(hosts_.size());
    for (const Host& host : hosts_) placement.push_back({NodeId{host.node}, host.units});
    return placement;
  }

 private:
  [[nodiscard]] bool takes(Cpu capacity, const NodeLedger& room, std::int64_t units) const {
    return demand_.memory * units <= room.free && guaranteed_ * units <= capacity - room.guaranteed;
  }

  // The most loaded of as many nodes as there are tasks stands in front, and gives way to a better one.
  void add(const Host& host) {
    if (hosts_.size() < most_) {
      hosts_.push_back(host);
      std::push_heap(hosts_.begin(), hosts_.end(), less_loaded);
    } else {
      hosts_.front() = host;
      sift_down(most_, more_loaded);
    }
  }

  // The first of the heap has changed. `before`: what stands above what.
  template <class Before>
  void sift_down(std::size_t size, const Before& before) {
    for (std::size_t at = 0, next = 1; next < size; next = 2 * at + 1) {
      if (next + 1 < size && before(hosts_[next + 1], hosts_[next])) ++next;
      if (!before(hosts_[next], hosts_[at])) return;
      std::swap(hosts_[at], hosts_[next]);
      at = next;
    }
  }

  // Gives it a task; can it take another?
  [[nodiscard]] bool give(Host& host) const {
    host.load += demand_.need;
    ++host.units;
    return takes(host.capacity, draft_.ledger(host.node), host.units + 1);
  }

  const Draft& draft_;
  const Demand& demand_;
  const Cpu guaranteed_;
  const std::size_t most_;
  std::pmr::vector<Host> hosts_;
};

template <class LoadOf>
std::optional<Placement> placement_by(const Draft& draft, const Demand& demand, const LoadOf& load_of) {
  Hosts hosts(draft, demand);
  return hosts.choose(load_of) ? std::optional(hosts.place()) : std::nullopt;
}

}  // namespace

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand) {
  return placement_by(draft, demand, [](std::uint32_t, const NodeLedger& room) { return room.load; });
}

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                          const AllocatedCpu& given) {
  return placement_by(draft, demand,
                      [&](std::uint32_t n, const NodeLedger& room) { return given.measure(n, room); });
}

bool place_greedily(Draft& draft, std::size_t entry) {
  auto placement = greedy_placement(draft, draft.job(entry).demand);
  if (placement) draft.place(entry, *std::move(placement));
  return placement.has_value();
}

}  // namespace aliquot
