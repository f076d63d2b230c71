#include "policies/dfrs/greedy_placement.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace aliquot {

namespace {

constexpr Cpu kNoNode{INT64_MAX};
constexpr std::size_t kFew = 32;
constexpr std::size_t kHoped = 8;  // nodes of a block of the best

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
  [[nodiscard]] bool alike() const { return alike_; }
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

  // Nodes without load, as many as there are tasks: each gets one task, and no node is better.
  [[nodiscard]] std::optional<Placement> on_unloaded() {
    const auto nothing = [](const NodeRun& run) { return run.capacity.raw <= 0; };  // to be relative to
    if (demand_.tasks == 0 || demand_.need.raw <= 0) return std::nullopt;
    if (std::ranges::any_of(draft_.node_runs(), nothing)) return std::nullopt;
    draft_.capacity().each_unloaded([&](std::uint32_t n, const NodeLedger& room) {
      if (takes(draft_.node(n).capacity, room, 1)) hosts_.push_back({Cpu{}, n, 1});
      return hosts_.size() >= most();
    });
    if (hosts_.size() < most()) return hosts_.clear(), std::nullopt;
    return placement_of_hosts();
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

  // The same, where all nodes are one run: first the blocks that promise most, then those that may still
  // have a better node.
  [[nodiscard]] bool choose_by_block(const AllocatedCpu& given) {
    std::pmr::vector<Host> blocks(draft_.memory());
    const auto all =
        static_cast<std::uint32_t>((draft_.nodes() + CapacityIndex::kBlock - 1) / CapacityIndex::kBlock);
    blocks.reserve(all);
    const int part = BlockMinimum::part_within(draft_.node_runs().front().memory, demand_.memory);
    for (std::uint32_t block = 0; block < all; ++block) {
      BlockMinimum& known = given.blocks[block];
      if (known.stale) known = least_of(given, block);
      if (known.least[part] != kNoNode)
        blocks.push_back({known.least[part], block * CapacityIndex::kBlock});
    }
    const std::size_t first = std::min<std::size_t>(blocks.size(), most() / kHoped + 1);
    put_first(blocks, first);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (full_ && !less_loaded_(blocks[k], limit_)) continue;
      draft_.capacity().each_with_free_of(blocks[k].node / CapacityIndex::kBlock, demand_.memory,
                                          [&](const NodeRun& run, std::uint32_t n, const NodeLedger& room) {
                                            look_at(run, n, room, given.measure(n, room));
                                          });
      if (k + 1 == first) keep_best();
    }
    return finish();
  }

  [[nodiscard]] Placement place() {
    if (less_loaded_.alike()) {
      spread_alike();
    } else {
      spread();
    }
    std::erase_if(hosts_, [](const Host& host) { return host.units == 0; });
    std::sort(hosts_.begin(), hosts_.end(), [](const Host& a, const Host& b) { return a.node < b.node; });
    return placement_of_hosts();
  }

 private:
  [[nodiscard]] Placement placement_of_hosts() const {
    Placement placement;
    placement.reserve(hosts_.size());
    for (const Host& host : hosts_) placement.push_back({NodeId{host.node}, host.units});
    return placement;
  }
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

  // So many of the least loaded come first.
  void put_first(std::pmr::vector<Host>& blocks, std::size_t count) const {
    if (count == 0) return;
    if (count == 1)
      return std::swap(blocks.front(), *std::min_element(blocks.begin(), blocks.end(), less_loaded_));
    std::nth_element(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(count) - 1, blocks.end(),
                     less_loaded_);
  }

  [[nodiscard]] BlockMinimum least_of(const AllocatedCpu& given, std::uint32_t block) const {
    const NodeLedger* const rooms = draft_.capacity().all();
    const Memory whole = draft_.node_runs().front().memory;
    const std::size_t end = std::min<std::size_t>(draft_.nodes(), (block + 1) * CapacityIndex::kBlock);
    BlockMinimum known;
    known.least.fill(kNoNode);
    for (std::size_t n = block * CapacityIndex::kBlock; n < end; ++n) {
      Cpu& least = known.least[BlockMinimum::part_within(whole, rooms[n].free)];
      least = std::min(least, given.measure(n, rooms[n]));
    }
    for (int k = BlockMinimum::kParts - 1; k > 0; --k)
      known.least[k - 1] = std::min(known.least[k - 1], known.least[k]);
    known.stale = false;
    return known;
  }

  // Gives it a task; can it take another?
  [[nodiscard]] bool give(Host& host) const {
    host.load += demand_.need;
    ++host.units;
    return takes(draft_.node(host.node).capacity, draft_.capacity().of(host.node), host.units + 1);
  }

  // Every task adds the same load, so those that have one wait in the order in which they got it: the least
  // loaded is the first of these or the first of the others.
  void spread_alike() {
    std::pmr::vector<std::uint32_t> again(draft_.memory());
    again.reserve(demand_.tasks);
    std::size_t first = 0;
    std::uint32_t next = 0;
    for (std::uint32_t task = 0; task < demand_.tasks; ++task) {
      const bool fresh = next < hosts_.size() &&
                         (first == again.size() || less_loaded_(hosts_[next], hosts_[again[first]]));
      const std::uint32_t k = fresh ? next++ : again[first++];
      if (give(hosts_[k])) again.push_back(k);
    }
  }

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
  if (auto unloaded = hosts.on_unloaded()) return unloaded;
  if (!hosts.choose([](std::uint32_t, const NodeLedger& room) { return room.load; })) return std::nullopt;
  return hosts.place();
}

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand,
                                          const AllocatedCpu& given) {
  Hosts hosts(draft, demand);
  const auto& runs = draft.node_runs();
  const bool by_block = !given.blocks.empty() && runs.size() == 1 && runs.front().usable;
  const auto load_of = [&](std::uint32_t n, const NodeLedger& room) { return given.measure(n, room); };
  if (!(by_block ? hosts.choose_by_block(given) : hosts.choose(load_of))) return std::nullopt;
  return hosts.place();
}

}  // namespace aliquot
