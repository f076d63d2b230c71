#include "policies/placement/solver/fast.hpp"

#include <algorithm>

#include "policies/placement/solver/bound_refinement.hpp"
#include "policies/placement/solver/branch_and_bound.hpp"

namespace aliquot::ip {

namespace {

constexpr int kMostRepacks = 12;  // in vain, in one greedy selection
constexpr int kCloseBits = 11;    // a gap of 2^-11 needs no other selections
constexpr std::uint64_t kCellsPerWork = 8;

class FastSolver {
 public:
  FastSolver(const Instance& instance, std::uint64_t effort)
      : instance_(instance),
        placer_(instance),
        capacity_(free_capacity(instance)),
        packer_(placer_, capacity_),
        relaxation_(relax(placer_, capacity_)),
        best_(packer_.empty(NodeOrder::spare_devices)),
        bound_(whole(relaxation_.bound)),
        effort_(effort) {}

  Answer solve() {
    bool finished = true;
    if (!start_all()) {
      select(relaxation_.items, NodeOrder::spare_devices);
      std::uint64_t most_work = effort_ * 3 / 4;
      if (!is_close() && !out_of_work()) {
        const std::uint64_t effort_of_search = effort_ / 16;
        refine();
        most_work = placer_.work() + effort_of_search;
      }
      if (!is_close()) select_in_other_orders();
      finished = search(most_work);
    }
    pack_on_fewer_nodes();
    Answer answer = packer_.answer(best_);
    answer.bound = bound_;
    answer.work = placer_.work();
    answer.finished = finished;
    return answer;
  }

 private:
  bool keep_if_better(const Packing& packing) {
    if (packing.value <= best_.value) return false;
    best_ = packing;
    return true;
  }

  [[nodiscard]] RequestSet requests_of(const Packing& packing) const {
    return set_of(packing.sequence, instance_.requests.size());
  }
  [[nodiscard]] bool is_close() const { return bound_ - best_.value <= bound_ >> kCloseBits; }
  [[nodiscard]] bool out_of_work() const { return placer_.work() >= effort_; }

  // Light load: every request that fits alone starts.
  bool start_all() {
    Amounts left = relaxation_.capacity;
    RequestSet all(instance_.requests.size(), false);
    for (const Item& item : relaxation_.items) {
      if (!fits(item.demand, left)) return false;
      all[item.request] = true;
      left = minus(left, item.demand);
    }
    Packing packing;
    return packer_.pack_all(all, packing) && (keep_if_better(packing) || relaxation_.items.empty());
  }

  // The greedy selection.
  void select(const std::vector<Item>& ranking, NodeOrder order) {
    Packing packing = packer_.empty(order);
    add_in_order(ranking, packing, kMostRepacks);
    keep_if_better(packing);
  }

  void select_in_other_orders() {
    if (!out_of_work()) select(relaxation_.items, NodeOrder::few_nodes);
    if (out_of_work()) return;
    std::vector<Item> by_value = relaxation_.items;
    std::stable_sort(by_value.begin(), by_value.end(),
                     [](const Item& a, const Item& b) { return a.value > b.value; });
    select(by_value, NodeOrder::spare_devices);
  }

  // Adds each request that fits, if need be by packing the whole set again.
  void add_in_order(const std::vector<Item>& ranking, Packing& packing, int repacks) {
    RequestSet set = requests_of(packing);
    Amounts left = relaxation_.capacity;
    for (const Item& item : relaxation_.items) {
      if (set[item.request]) left = minus(left, item.demand);
    }
    Packing repacked;
    for (const Item& item : ranking) {
      if (set[item.request] || !fits(item.demand, left)) continue;
      set[item.request] = true;
      if (!packer_.add(packing, item.request)) {
        const bool try_it = repacks > 0 && !out_of_work();
        if (!try_it || !packer_.pack_all(set, repacked)) {
          set[item.request] = false;
          repacks -= try_it ? 1 : 0;
          continue;
        }
        std::swap(packing, repacked);
      }
      left = minus(left, item.demand);
    }
  }

  // Lowers the bound, and tries the sets that come with it.
  void refine() {
    const std::uint64_t before = placer_.work();
    const RefinedBound refined =
        refine_bound(placer_, capacity_, relaxation_, best_.value, kCellsPerWork * effort_);
    bound_ = std::min(bound_, refined.bound);
    effort_ += placer_.work() - before;  // the other steps keep theirs
    for (const std::vector<std::uint32_t>& requests : refined.sets) {
      if (is_close()) break;
      Packing packing = packer_.pack_most(set_of(requests, instance_.requests.size()));
      add_in_order(relaxation_.items, packing, 0);
      keep_if_better(packing);
    }
  }

  // Branch and bound; true if it came to its end, or was not needed.
  bool search(std::uint64_t most_work) {
    BranchAndBound search(relaxation_, packer_, best_, instance_.requests.size());
    search.run(most_work);
    placer_.add_work(search.work());
    bound_ = std::min(bound_, search.bound());
    return search.finished() || best_.value >= bound_;
  }

  void pack_on_fewer_nodes() {
    if (best_.sequence.empty()) return;
    const RequestSet set = requests_of(best_);
    Packing packing;
    for (const PackingHeuristic& heuristic : kPackingHeuristics) {
      if (best_.value >= bound_ && instance_.nodes_cost) return;
      if (!packer_.pack_all(set, heuristic, packing)) continue;
      if (packing.value == best_.value && packing.nodes < best_.nodes) best_ = packing;
      keep_if_better(packing);
    }
  }

  const Instance& instance_;
  Placer placer_;
  FreeCapacity capacity_;
  Packer packer_;
  Relaxation relaxation_;
  Packing best_;
  Value bound_ = 0;
  std::uint64_t effort_;  // work at which no new step begins
};

}  // namespace

Answer solve_fast(const Instance& instance, std::uint64_t effort) {
  return FastSolver(instance, effort).solve();
}

}  // namespace aliquot::ip
