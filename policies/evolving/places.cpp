#include "policies/evolving/places.hpp"

#include <map>

#include "policies/maintenance/by_windows.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot::evolving {
namespace {

class PlacesBeside {
 public:
  PlacesBeside(const ClusterView& view, const Job& job, Yield slowest)
      : view_(view), job_(job), slowest_(slowest), kind_(bound_kind(view, job)) {}

  // The task stands there from now on.
  void take(NodeId node) { ++taken_[node]; }

  // The node on which one more task leaves the greatest part of the CPU; none: it fits nowhere.
  [[nodiscard]] std::optional<NodeId> best(bool slows_others) const {
    std::optional<NodeId> best;
    Int128 best_given = 0, best_capacity = 1;
    for (const Node& node : view_.nodes) {
      if (!fits(node, slows_others)) continue;
      const Int128 given = given_with_one_more(node).raw, capacity = node.capacity.raw;
      if (best && given * best_capacity >= best_given * capacity) continue;
      best = node.id;
      best_given = given;
      best_capacity = capacity;
    }
    return best;
  }

  [[nodiscard]] Placement places() const {
    Placement places;
    for (const auto& [node, units] : taken_) places.push_back({node, units});
    return places;
  }

 private:
  [[nodiscard]] std::uint32_t units(const Node& node) const {
    const auto found = taken_.find(node.id);
    return 1 + (found == taken_.end() ? 0 : found->second);
  }
  [[nodiscard]] Cpu given_with_one_more(const Node& node) const {
    return view_.index.load(node.id).given + job_.demand.need * job_.yield * units(node);
  }
  [[nodiscard]] bool fits(const Node& node, bool slows_others) const {
    if (!node.usable() || !node.answers() || (kind_ && *kind_ != node.hypervisor)) return false;
    if (outstayed_by(view_, job_, node.id, slowest_)) return false;
    const NodeLoad& load = view_.index.load(node.id);
    if (load.memory + job_.demand.memory * units(node) > node.memory) return false;
    if (load.guaranteed + guaranteed_cpu(job_.demand) * units(node) > node.capacity) return false;
    return slows_others || given_with_one_more(node) <= node.capacity;
  }

  const ClusterView& view_;
  const Job& job_;
  const Yield slowest_;
  const std::optional<HypervisorKind> kind_;
  std::map<NodeId, std::uint32_t> taken_;
};

}  // namespace

std::optional<Placement> places_beside(const ClusterView& view, const Job& job, std::uint32_t more,
                                       bool slows_others) {
  PlacesBeside free(view, job, slowest_yield(slows_others));
  for (; more > 0; --more) {
    std::optional<NodeId> node = free.best(false);
    if (!node && slows_others) node = free.best(true);
    if (!node) return std::nullopt;
    free.take(*node);
  }
  return free.places();
}

void put_on(Placement& placement, const Share& more) {
  const auto at = std::ranges::lower_bound(placement, more.node, {}, &Share::node);
  if (at != placement.end() && at->node == more.node)
    at->units += more.units;
  else
    placement.insert(at, more);
}

}  // namespace aliquot::evolving
