#include "policies/dfrs/greedy_placement.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// Where a task can go: a node, and the load that the node has by then.
struct Slot {
  Cpu load;
  Cpu capacity;
  std::uint32_t node;
};

// Relative to the capacity; among equals the lower node comes first.
bool less_loaded(const Slot& a, const Slot& b) {
  if (a.capacity == b.capacity) return a.load != b.load ? a.load < b.load : a.node < b.node;
  const Int128 left = static_cast<Int128>(a.load.raw) * b.capacity.raw;
  const Int128 right = static_cast<Int128>(b.load.raw) * a.capacity.raw;
  return left != right ? left < right : a.node < b.node;
}

// The least loaded of the slots that are offered, one for each task. Up to twice as many are kept before
// the more loaded ones are dropped.
class LeastLoaded {
 public:
  LeastLoaded(std::size_t tasks, std::pmr::memory_resource* memory) : tasks_(tasks), slots_(memory) {}

  // False: it is none of them.
  bool offer(const Slot& slot) {
    if (last_ && !less_loaded(slot, *last_)) return false;
    slots_.push_back(slot);
    if (slots_.size() == 2 * tasks_) drop();
    return true;
  }
  [[nodiscard]] std::pmr::vector<Slot> take() {
    if (slots_.size() > tasks_) drop();
    return slots_;
  }

 private:
  void drop() {
    const auto last = slots_.begin() + static_cast<std::ptrdiff_t>(tasks_ - 1);
    std::nth_element(slots_.begin(), last, slots_.end(), less_loaded);
    slots_.resize(tasks_);
    last_ = slots_.back();
  }

  const std::size_t tasks_;
  std::pmr::vector<Slot> slots_;
  std::optional<Slot> last_;  // the most loaded one, once there have been more than there are tasks
};

// Each task in turn goes to the node that is least loaded by then: together they take the least loaded
// slots, where a node has one for each task that it can take. A node has its first slot before its others,
// so these are looked at only of the nodes whose first slots are among the least loaded.
template <class LoadOf>
std::optional<Placement> placement_by(const Draft& draft, const Demand& demand, const LoadOf& load_of) {
  if (demand.tasks == 0) return Placement();
  if (!draft.fits(demand)) return std::nullopt;
  const Cpu guaranteed = guaranteed_cpu(demand);
  LeastLoaded least(demand.tasks, draft.memory());
  draft.capacity().each_with_free(demand.memory,
                                  [&](const NodeRun& run, std::uint32_t n, const NodeLedger& room) {
                                    if (guaranteed <= run.capacity - room.guaranteed)
                                      least.offer({load_of(n, room), run.capacity, n});
                                  });
  const SlotsBeside slots_beside(demand);
  for (Slot slot : least.take()) {
    std::int64_t others = slots_beside(slot.capacity, draft.ledger(slot.node)) - 1;
    for (bool is_one = true; is_one && others > 0; --others) {
      slot.load += demand.need;
      is_one = least.offer(slot);
    }
  }
  std::pmr::vector<std::uint32_t> units(draft.nodes(), draft.memory());
  for (const Slot& slot : least.take()) ++units[slot.node];
  Placement placement;
  placement.reserve(static_cast<std::size_t>(
      std::ranges::count_if(units, [](std::uint32_t count) { return count > 0; })));
  for (std::uint32_t n = 0; n < units.size(); ++n)
    if (units[n] > 0) placement.push_back({{n}, units[n]});
  return placement;
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
  const auto placement = greedy_placement(draft, draft.job(entry).demand);
  if (placement) draft.place(entry, *placement);
  return placement.has_value();
}

}  // namespace aliquot
