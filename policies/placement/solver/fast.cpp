#include "policies/placement/solver/fast.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "policies/placement/solver/bound_refinement.hpp"
#include "policies/placement/solver/branch_and_bound.hpp"

namespace aliquot::ip {

namespace {

constexpr int kMostRepacks = 12;        // in vain, in one greedy selection
constexpr std::size_t kMostTrials = 6;  // of the moves that promise most
constexpr int kCloseBits = 11;          // a gap of 2^-11 needs no other selections
constexpr std::uint64_t kCellsPerWork = 8;

class FastSolver {
 public:
  FastSolver(const Instance& instance, std::uint64_t effort)
      : instance_(instance),
        placer_(instance),
        capacity_(free_capacity(instance)),
        packer_(placer_, capacity_),
        relaxation_(relax(placer_, capacity_)),
        by_efficiency_(relaxation_.items.size()),
        best_(packer_.empty(NodeOrder::spare_devices)),
        bound_(whole(relaxation_.bound)),
        effort_(effort) {
    std::iota(by_efficiency_.begin(), by_efficiency_.end(), 0U);
  }

  Answer solve(std::uint64_t effort) {
    bool finished = true;
    if (!start_all()) {
      select(by_efficiency_, kNodeOrders.front());
      const bool refined = refine();
      if (!is_close()) select_in_other_orders();
      if (best_.value < bound_) exchange();
      BranchAndBound search(relaxation_, packer_, best_, instance_.requests.size());
      search.run(refined ? placer_.work() + effort / 16 : effort_ * 3 / 4);
      placer_.add_work(search.work());
      bound_ = std::min(bound_, search.bound());
      finished = search.finished() || best_.value >= bound_;
      if (best_.value < bound_) exchange();
    }
    pack_on_fewer_nodes();
    Answer answer = packer_.answer(best_);
    answer.bound = bound_;
    answer.work = placer_.work();
    answer.finished = finished;
    return answer;
  }

 private:
  using Ranking = std::vector<std::uint32_t>;  // indices of items

  bool keep_if_better(const Packing& packing) {
    if (packing.value <= best_.value) return false;
    best_ = packing;
    return true;
  }

  [[nodiscard]] RequestSet requests_of(const Packing& packing) const {
    return set_of(packing.sequence, instance_.requests.size());
  }
  // What the set leaves of the relaxation's capacity.
  [[nodiscard]] Amounts left_beside(const RequestSet& set) const {
    Amounts left = relaxation_.capacity;
    for (const Item& item : relaxation_.items) {
      if (set[item.request] != 0) relaxation_.take(item, left);
    }
    return left;
  }
  [[nodiscard]] bool is_close() const { return bound_ - best_.value <= bound_ >> kCloseBits; }
  [[nodiscard]] bool out_of_work() const { return placer_.work() >= effort_; }

  // Light load: every request that fits alone starts.
  bool start_all() {
    Amounts left = relaxation_.capacity;
    RequestSet all(instance_.requests.size(), 0);
    for (const Item& item : relaxation_.items) {
      if (!relaxation_.fits(item, left)) return false;
      all[item.request] = 1;
      relaxation_.take(item, left);
    }
    Packing packing;
    return packer_.pack_all(all, packing) && (keep_if_better(packing) || relaxation_.items.empty());
  }

  void select_in_other_orders() {
    for (std::size_t o = 1; o < kNodeOrders.size(); ++o) select(by_efficiency_, kNodeOrders[o]);
    Ranking by_value = by_efficiency_;
    std::stable_sort(by_value.begin(), by_value.end(), [&](std::uint32_t a, std::uint32_t b) {
      return relaxation_.items[a].value > relaxation_.items[b].value;
    });
    select(by_value, NodeOrder::spare_devices);
  }

  // The greedy selection.
  void select(const Ranking& ranking, NodeOrder order) {
    if (out_of_work()) return;
    Packing packing = packer_.empty(order);
    add_in_order(ranking, packing, kMostRepacks);
    keep_if_better(packing);
  }

  // Adds each request that fits, if need be by packing the whole set again.
  void add_in_order(const Ranking& ranking, Packing& packing, int repacks) {
    RequestSet set = requests_of(packing);
    Amounts left = left_beside(set);
    Packing repacked;
    for (const std::uint32_t i : ranking) {
      const Item& item = relaxation_.items[i];
      if (set[item.request] != 0 || !relaxation_.fits(item, left)) continue;
      set[item.request] = 1;
      if (!packer_.add(packing, item.request)) {
        const bool try_it = repacks > 0 && !out_of_work();
        if (!try_it || !packer_.pack_all(set, repacked)) {
          set[item.request] = 0;
          repacks -= try_it ? 1 : 0;
          continue;
        }
        std::swap(packing, repacked);
      }
      relaxation_.take(item, left);
    }
  }

  // Lowers the bound, and tries the sets that come with it. False: there was no need, or no effort left.
  bool refine() {
    if (is_close() || out_of_work()) return false;
    const std::uint64_t before = placer_.work();
    const RefinedBound refined =
        refine_bound(placer_, capacity_, relaxation_, best_.value, kCellsPerWork * effort_);
    bound_ = std::min(bound_, refined.bound);
    effort_ += placer_.work() - before;  // the other steps keep theirs
    Packing packing;
    for (const std::vector<std::uint32_t>& requests : refined.sets) {
      if (is_close()) break;
      const RequestSet set = set_of(requests, instance_.requests.size());
      if (!packer_.pack_all(set, packing)) packer_.pack_some(set, packing);
      add_in_order(by_efficiency_, packing, 0);
      keep_if_better(packing);
    }
    return true;
  }

  struct Move {
    std::optional<std::uint32_t> out;  // item; none: only one is added
    std::uint32_t in = 0;              // item
    Value gain = 0;
  };

  // Local search: the move that gains most within the relaxation and packs, until there is none.
  void exchange() {
    for (bool gained = true; gained && !out_of_work();) {
      RequestSet set = requests_of(best_);
      gained = false;
      for (const Move& move : best_moves(set)) {
        if (out_of_work()) return;
        const auto flip = [&](std::uint32_t item) { set[relaxation_.items[item].request] ^= 1; };
        if (move.out) flip(*move.out);
        flip(move.in);
        Packing packing;
        gained = packer_.pack_all(set, packing) && keep_if_better(packing);
        if (gained) break;
        if (move.out) flip(*move.out);
        flip(move.in);
      }
    }
  }

  // The best move without an item that leaves, and the best for each item that leaves; few of these.
  std::vector<Move> best_moves(const RequestSet& set) {
    const std::vector<Item>& items = relaxation_.items;
    Ranking inside, outside;
    for (std::uint32_t i = 0; i < items.size(); ++i)
      (set[items[i].request] != 0 ? inside : outside).push_back(i);
    placer_.add_work(outside.size() * (inside.size() + 1) / 2);
    std::vector<Move> moves;
    Amounts left = left_beside(set);
    const auto add_best = [&](std::optional<std::uint32_t> out) {
      const Value loss = out ? items[*out].value : 0;
      Move best;
      for (const std::uint32_t in : outside) {
        const Value gain = items[in].value - loss;
        if (gain > best.gain && relaxation_.fits(items[in], left)) best = {out, in, gain};
      }
      if (best.gain > 0) moves.push_back(best);
    };
    add_best(std::nullopt);
    for (const std::uint32_t out : inside) {
      relaxation_.give_back(items[out], left);
      add_best(out);
      relaxation_.take(items[out], left);
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.gain > b.gain; });
    if (moves.size() > kMostTrials) moves.resize(kMostTrials);
    return moves;
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
  Ranking by_efficiency_;
  Packing best_;
  Value bound_ = 0;
  std::uint64_t effort_;  // work at which no new step begins
};

}  // namespace

Answer solve_fast(const Instance& instance, std::uint64_t effort) {
  return FastSolver(instance, effort).solve(effort);
}

}  // namespace aliquot::ip
