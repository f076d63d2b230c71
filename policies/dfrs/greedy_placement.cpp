#include "policies/dfrs/greedy_placement.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace aliquot {

namespace {

constexpr std::size_t kFew = 32;

struct Host {
  Cpu load;
  std::uint32_t node;
  std::uint32_t units = 0;
};

// Relative to the capacity; among equals the lower node comes first.
class LessLoaded {
 public:
  explicit LessLoaded(const Draft& draft) : draft_(draft) {}
  bool operator()(const Host& a, const Host& b) const {
    const Int128 left = static_cast<Int128>(a.load.raw) * draft_.node(b.node).capacity.raw;
    const Int128 right = static_cast<Int128>(b.load.raw) * draft_.node(a.node).capacity.raw;
    return left != right ? left < right : a.node < b.node;
  }

 private:
  const Draft& draft_;
};

class Hosts {
 public:
  Hosts(const Draft& draft, const Demand& demand)
      : draft_(draft),
        demand_(demand),
        each_(guaranteed_cpu(demand)),
        less_loaded_(draft),
        slots_(demand),
        missing_(demand.tasks),
        hosts_(draft.memory()) {
    hosts_.reserve(std::min(draft.nodes(), 2 * most() + kFew));
  }

  // The least loaded nodes that take a task, in that order, at most as many as there are tasks: each task
  // finds one among them that has none yet. False: there is no room for all tasks.
  template <class LoadOf>
  [[nodiscard]] bool choose(LoadOf&& load_of) {
    draft_.capacity().each_with_free(demand_.memory,
                                     [&](const NodeRun& run, std::uint32_t n, const NodeLedger& room) {
                                       look_at(run, n, room, load_of(n, room));
                                     });
    return finish();
  }

  [[nodiscard]] Placement place() {
    spread();
    std::erase_if(hosts_, [](const Host& host) { return host.units == 0; });
    std::sort(hosts_.begin(), hosts_.end(), [](const Host& a, const Host& b) { return a.node < b.node; });
    Placement placement;
    placement.reserve(hosts_.size());
    for (const Host& host : hosts_) placement.push_back({NodeId{host.node}, host.units});
    return placement;
  }

 private:
  [[nodiscard]] bool takes(Cpu capacity, const NodeLedger& room, std::int64_t units) const {
    return demand_.memory * units <= room.free && each_ * units <= capacity - room.guaranteed;
  }
  [[nodiscard]] std::size_t most() const { return std::max(1U, demand_.tasks); }

  void look_at(const NodeRun& run, std::uint32_t n, const NodeLedger& room, Cpu load) {
    const Host host{load, n};
    if (full_ && !less_loaded_(host, limit_)) return;
    if (!takes(run.capacity, room, 1)) return;
    if (missing_ > 0) missing_ -= slots_(run.capacity, room);
    hosts_.push_back(host);
    if (hosts_.size() >= 2 * most() + kFew) keep_best();
  }

  // Keeps as many nodes as there are tasks, once it is known that all tasks fit.
  void keep_best() {
    if (missing_ > 0 || hosts_.size() < most()) return;
    const auto end = hosts_.begin() + static_cast<std::ptrdiff_t>(most());
    std::nth_element(hosts_.begin(), end - 1, hosts_.end(), less_loaded_);
    hosts_.erase(end, hosts_.end());
    limit_ = hosts_.back();
    full_ = true;
  }

  bool finish() {
    if (missing_ > 0) return false;
    keep_best();
    std::sort(hosts_.begin(), hosts_.end(), less_loaded_);
    return true;
  }

  // Gives it a task; can it take another?
  [[nodiscard]] bool give(Host& host) const {
    host.load += demand_.need;
    ++host.units;
    return takes(draft_.node(host.node).capacity, draft_.capacity().of(host.node), host.units + 1);
  }

  // Each task goes to the node that is least loaded by then.
  void spread() {
    const auto after = [&](std::uint32_t a, std::uint32_t b) { return less_loaded_(hosts_[b], hosts_[a]); };
    std::pmr::vector<std::uint32_t> heap(hosts_.size(), draft_.memory());
    std::iota(heap.begin(), heap.end(), 0U);
    std::make_heap(heap.begin(), heap.end(), after);
    for (std::uint32_t task = 0; task < demand_.tasks; ++task) {
      std::pop_heap(heap.begin(), heap.end(), after);
      if (give(hosts_[heap.back()])) {
        std::push_heap(heap.begin(), heap.end(), after);
      } else {
        heap.pop_back();
      }
    }
  }

  const Draft& draft_;
  const Demand& demand_;
  const Cpu each_;
  const LessLoaded less_loaded_;
  const SlotsBeside slots_;
  std::int64_t missing_;  // tasks beyond the room that was found
  std::pmr::vector<Host> hosts_;
  bool full_ = false;  // a node that is not better than the limit is of no use
  Host limit_{};
};

}  // namespace

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand) {
  Hosts hosts(draft, demand);
  if (!hosts.choose([](std::uint32_t, const NodeLedger& room) { return room.load; })) return std::nullopt;
  return hosts.place();
}

bool place_greedily(Draft& draft, std::size_t entry) {
  auto placement = greedy_placement(draft, draft.job(entry).demand);
  if (placement) draft.place(entry, *std::move(placement));
  return placement.has_value();
}

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                          const AllocatedCpu& given) {
  Hosts hosts(draft, demand);
  const auto load_of = [&](std::uint32_t n, const NodeLedger& room) { return given.measure(n, room); };
  if (!hosts.choose(load_of)) return std::nullopt;
  return hosts.place();
}

}  // namespace aliquot
