#include "policies/dfrs/repack.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "policies/dfrs/hand_out.hpp"
#include "policies/dfrs/priority.hpp"
#include "policies/dfrs/ranking.hpp"
#include "policies/packing/drop_search.hpp"
#include "policies/packing/match.hpp"
#include "policies/packing/yield_search.hpp"

namespace aliquot {

namespace {

// One packing of all jobs anew, from what is offered to places.
class Repacking {
 public:
  Repacking(Draft& draft, const LevelRule& rule) : draft_(draft), bins_(draft), shapes_(rule) {}

  void offer_all() {
    std::vector<std::int64_t> slots;  // by shape: how many of its tasks fit beside what is fixed
    Int128 memory = 0;
    for (std::uint32_t i = 0; i < draft_.size(); ++i) {
      const Job& job = draft_.job(i);
      if (draft_.fixed(i) || job.held) continue;
      const std::uint32_t shape = shapes_.shape_of(job);
      if (shape == slots.size()) slots.push_back(bins_.slots(job.demand));
      if (slots[shape] < job.demand.tasks) continue;
      offered_.push_back({i, shape});
      memory += static_cast<Int128>(job.demand.memory.raw) * job.demand.tasks;
    }
    // Where all the memory there is does not suffice, no test can succeed.
    if (memory > bins_.free_memory().raw) {
      rank();
      keep_within(ranked_, bins_.free_memory().raw);
      keep_ranked();
    }
    for (const Offered& job : offered_) shapes_.add(job.shape, tasks(job));
  }

  // False: nothing can be placed at all.
  void search() {
    LevelPacker packer(shapes_, bins_);
    const auto pack = [&](Yield level) { return packer.pack(level); };
    bool full = pack(kFullYield);
    if (!full && !pack(Yield{0})) {
      leave_out(packer);
      full = pack(kFullYield);
    }
    if (!full) bisect_level(pack);
    shares_ = hand_out(draft_, offered_, bins_, packer);
  }

  [[nodiscard]] const std::vector<Offered>& offered() const { return offered_; }
  [[nodiscard]] std::vector<std::span<Share>>& shares() { return shares_; }

 private:
  [[nodiscard]] std::int64_t tasks(const Offered& job) const { return draft_.job(job.entry).demand.tasks; }

  void rank() {
    ranked_.clear();
    ranked_.reserve(offered_.size());
    for (const Offered& offered : offered_) {
      const Job& job = draft_.job(offered.entry);
      ranked_.push_back({key_of_priority(priority(job, draft_.view().now)),
                         (job.demand.memory * job.demand.tasks).raw, offered.entry});
    }
  }

  // Only what is in ranked_ stays offered; both by increasing entry.
  void keep_ranked() {
    auto next = ranked_.begin();
    std::erase_if(offered_, [&](const Offered& job) {
      if (next == ranked_.end() || next->entry != job.entry) return true;
      ++next;
      return false;
    });
  }

  // MCB8 finds no room for all, however little CPU they get: jobs of low priority are left out.
  void leave_out(LevelPacker& packer) {
    if (ranked_.empty()) rank();
    // offered_ and ranked_ go in step now; the amount becomes the position.
    for (std::size_t k = 0; k < ranked_.size(); ++k) ranked_[k].amount = static_cast<std::int64_t>(k);
    sort_ranked(ranked_);
    std::size_t offered = ranked_.size();
    const auto offer = [&](std::size_t count) {
      for (; offered > count; --offered) count_in(ranked_[offered - 1], -1);
      for (; offered < count; ++offered) count_in(ranked_[offered], 1);
    };
    const std::size_t kept = largest_that_works(offered, [&](std::size_t count) {
      offer(count);
      return packer.pack(Yield{0});
    });
    offer(kept);
    ranked_.resize(kept);
    std::sort(ranked_.begin(), ranked_.end(),
              [](const Ranked& a, const Ranked& b) { return a.entry < b.entry; });
    keep_ranked();
  }
  void count_in(const Ranked& ranked, std::int64_t sign) {
    const Offered& job = offered_[static_cast<std::size_t>(ranked.amount)];
    shapes_.add(job.shape, sign * tasks(job));
  }

  Draft& draft_;
  Bins bins_;
  Shapes shapes_;
  std::vector<Offered> offered_;  // by increasing entry
  std::vector<Ranked> ranked_;    // the same jobs with their priorities, once these are asked for
  std::vector<std::span<Share>> shares_;
};

// Nodes that may exchange their bins: up, alike, and with nothing on them that must stay.
std::vector<std::int32_t> kinds_of_nodes(const Draft& only_fixed) {
  std::vector<std::int32_t> kinds(only_fixed.nodes(), kNotMatched);
  std::map<std::pair<Cpu, Memory>, std::int32_t> known;
  for (std::size_t n = 0; n < only_fixed.nodes(); ++n) {
    const Node& node = only_fixed.node(n);
    if (!node.usable() || only_fixed.room(n).tasks != 0) continue;
    const auto next = static_cast<std::int32_t>(known.size());
    kinds[n] = known.try_emplace({node.capacity, node.memory}, next).first->second;
  }
  return kinds;
}

void move_to_old_hosts(const Draft& only_fixed, Repacking& repacked) {
  Contents bins(only_fixed.nodes());
  Contents hosts(only_fixed.nodes());
  for (std::size_t k = 0; k < repacked.offered().size(); ++k) {
    const std::uint32_t i = repacked.offered()[k].entry;
    for (const Share& share : repacked.shares()[k]) bins[share.node.raw].push_back({i, share.units});
    for (const Share& share : only_fixed.job(i).placement) {
      hosts[share.node.raw].push_back({i, share.units});
    }
  }
  const auto host_of = match_bins(bins, hosts, kinds_of_nodes(only_fixed));
  for (const std::span<Share> shares : repacked.shares()) {
    for (Share& share : shares) share.node = {host_of[share.node.raw]};
    std::sort(shares.begin(), shares.end());
  }
}

}  // namespace

void repack(Draft& draft, const LevelRule& rule, bool match) {
  for (std::size_t i = 0; i < draft.size(); ++i) {
    if (draft.placed(i) && !draft.fixed(i)) draft.remove(i);
  }
  Repacking repacking(draft, rule);
  repacking.offer_all();
  repacking.search();
  if (match) move_to_old_hosts(draft, repacking);
  for (std::size_t k = 0; k < repacking.offered().size(); ++k) {
    draft.adopt(repacking.offered()[k].entry, repacking.shares()[k]);
  }
}

}  // namespace aliquot
