#include "policies/placement/fast.hpp"

#include <algorithm>
#include <numeric>

#include "policies/placement/search.hpp"
#include "policies/placement/sharpen.hpp"

namespace aliquot::ip {

namespace {

constexpr int kMostRepacks = 12;        // in vain, of one greedy selection
constexpr std::size_t kMostTrials = 6;  // of moves that promise most
constexpr int kCloseBits = 11;          // a gap of 2^-11 is not worth a closer look
constexpr std::uint64_t kCellsPerWork = 8;
constexpr std::uint32_t kNobody = 0xffffffff;

class Solver {
 public:
  Solver(const Instance& instance, std::uint64_t effort)
      : placer_(instance),
        start_(rooms_of(instance)),
        packer_(placer_, start_),
        relaxation_(relax(placer_, start_)),
        requests_(instance.requests.size()),
        asked_(effort),
        effort_(effort) {}

  Answer solve() {
    Answer answer;
    best_ = packer_.nothing(Style::spare_devices);
    answer.bound = whole(relaxation_.bound);
    if (!take_all()) {
      select_first();
      const bool sharpened = sharpen_to(answer.bound);
      if (!is_close(answer.bound)) select();
      if (best_.value < answer.bound) exchange();
      Search search(relaxation_, packer_, best_, requests_);
      search.run(sharpened ? placer_.work() + asked_ / 16 : effort_ * 3 / 4);
      placer_.add_work(search.work());
      answer.bound = std::min(answer.bound, search.bound());
      answer.finished = search.finished() || best_.value >= answer.bound;
      if (best_.value < answer.bound) exchange();
    }
    pack_tighter(answer.bound);
    packer_.write(best_, answer);
    answer.work = placer_.work();
    return answer;
  }

 private:
  using Ranking = std::vector<std::uint32_t>;  // indices of items

  bool keep(const Packing& packing) {
    if (packing.value <= best_.value) return false;
    best_ = packing;
    return true;
  }

  // Light load: everybody fits.
  bool take_all() {
    Totals left = relaxation_.free;
    Flags all(requests_, 0);
    for (const Item& item : relaxation_.items) {
      if (!within(relaxation_, item, left)) return false;
      all[item.request] = 1;
      take(item, left, 1);
    }
    Packing packing;
    return packer_.pack_somehow(all, packing) && (keep(packing) || relaxation_.items.empty());
  }

  void select_first() {
    Ranking ranking(relaxation_.items.size());
    std::iota(ranking.begin(), ranking.end(), 0U);
    select_in_order(ranking, kStyles.front());
  }

  // In other styles and orders.
  void select() {
    Ranking ranking(relaxation_.items.size());
    std::iota(ranking.begin(), ranking.end(), 0U);
    for (std::size_t s = 1; s < kStyles.size(); ++s) select_in_order(ranking, kStyles[s]);
    // By worth alone: the largest first.
    std::stable_sort(ranking.begin(), ranking.end(), [&](std::uint32_t a, std::uint32_t b) {
      return relaxation_.items[a].worth > relaxation_.items[b].worth;
    });
    select_in_order(ranking, Style::spare_devices);
  }

  void select_in_order(const Ranking& ranking, Style style) {
    if (placer_.work() >= effort_) return;
    Packing packing = packer_.nothing(style);
    Totals left = relaxation_.free;
    add_in_order(ranking, packing, left, kMostRepacks);
    keep(packing);
  }

  // Adds whoever finds room, if need be by packing all of them anew.
  void add_in_order(const Ranking& ranking, Packing& packing, Totals& left, int repacks) {
    Flags set = flags_of(packing, requests_);
    Packing trial;
    for (const std::uint32_t i : ranking) {
      const Item& item = relaxation_.items[i];
      if (set[item.request] != 0 || !within(relaxation_, item, left)) continue;
      if (!packer_.add(packing, item.request)) {
        if (repacks <= 0 || placer_.work() >= effort_) continue;
        set[item.request] = 1;
        if (!packer_.pack_somehow(set, trial)) {
          set[item.request] = 0;
          --repacks;
          continue;
        }
        std::swap(packing, trial);
      }
      set[item.request] = 1;
      take(item, left, 1);
    }
  }

  void take(const Item& item, Totals& left, int sign) const {
    for (std::size_t t = 0; t < relaxation_.totals; ++t) left[t] -= sign * item.takes[t];
  }

  [[nodiscard]] bool is_close(Value bound) const { return bound - best_.value <= bound >> kCloseBits; }

  // The bound of one total reckoned exactly, and the sets that it is made of: who of them finds room.
  bool sharpen_to(Value& bound) {
    if (is_close(bound) || placer_.work() >= effort_) return false;
    const std::uint64_t before = placer_.work();
    const Sharper sharper = sharpen(placer_, start_, relaxation_, best_.value, kCellsPerWork * effort_);
    bound = std::min(bound, sharper.bound);
    effort_ += placer_.work() - before;  // the others have theirs besides
    Ranking ranking(relaxation_.items.size());
    std::iota(ranking.begin(), ranking.end(), 0U);
    Packing packing;
    for (const std::vector<std::uint32_t>& chosen : sharper.sets) {
      if (is_close(bound)) break;
      Flags set(requests_, 0);
      for (const std::uint32_t request : chosen) set[request] = 1;
      if (!packer_.pack_somehow(set, packing)) packer_.pack_some(set, Packer::recipes()[0], packing);
      const Flags packed = flags_of(packing, requests_);
      Totals left = relaxation_.free;
      for (const Item& item : relaxation_.items) {
        if (packed[item.request] != 0) take(item, left, 1);
      }
      add_in_order(ranking, packing, left, 0);
      keep(packing);
    }
    return true;
  }

  struct Move {
    std::uint32_t out = kNobody;  // items
    std::uint32_t in = kNobody;
    Value gain = 0;
  };

  // Swaps one in the set for one outside, or adds one: the move that gains most within the totals and
  // packs, until none is left.
  void exchange() {
    for (bool gained = true; gained && placer_.work() < effort_;) {
      Flags set = flags_of(best_, requests_);
      gained = false;
      for (const Move& move : moves(set)) {
        if (placer_.work() >= effort_) return;
        const auto flip = [&](std::uint32_t item) {
          if (item != kNobody) set[relaxation_.items[item].request] ^= 1;
        };
        flip(move.out);
        flip(move.in);
        Packing packing;
        gained = packer_.pack_somehow(set, packing) && keep(packing);
        if (gained) break;
        flip(move.out);
        flip(move.in);
      }
    }
  }

  // The most promising ones, the best first.
  std::vector<Move> moves(const Flags& set) {
    const std::vector<Item>& items = relaxation_.items;
    Totals left = relaxation_.free;
    Ranking in, out{kNobody};
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      const bool chosen = set[items[i].request] != 0;
      (chosen ? out : in).push_back(i);
      if (chosen) take(items[i], left, 1);
    }
    placer_.add_work(in.size() * out.size() / 2);
    std::vector<Move> moves;
    for (const std::uint32_t o : out) {
      if (o != kNobody) take(items[o], left, -1);
      const Value loss = o == kNobody ? 0 : items[o].worth;
      Move best;
      for (const std::uint32_t i : in) {
        const Value gain = items[i].worth - loss;
        if (gain > best.gain && within(relaxation_, items[i], left)) best = {o, i, gain};
      }
      if (best.gain > 0) moves.push_back(best);
      if (o != kNobody) take(items[o], left, 1);
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [](const Move& a, const Move& b) { return a.gain > b.gain; });
    if (moves.size() > kMostTrials) moves.resize(kMostTrials);
    return moves;
  }

  // The same set on fewer nodes.
  void pack_tighter(Value bound) {
    if (best_.sequence.empty()) return;
    const Flags set = flags_of(best_, requests_);
    Packing packing;
    for (const Recipe& recipe : Packer::recipes()) {
      if (best_.value >= bound && placer_.instance().nodes_cost) return;
      if (!packer_.pack(set, recipe, packing)) continue;
      if (packing.value == best_.value && packing.nodes < best_.nodes) best_ = packing;
      keep(packing);
    }
  }

  Placer placer_;
  Rooms start_;
  Packer packer_;
  Relaxation relaxation_;
  std::size_t requests_;
  std::uint64_t asked_;
  std::uint64_t effort_;  // work up to which something new is begun
  Packing best_;
};

}  // namespace

Answer solve_fast(const Instance& instance, std::uint64_t effort) {
  return Solver(instance, effort).solve();
}

}  // namespace aliquot::ip
