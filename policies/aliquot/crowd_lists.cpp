#include "policies/aliquot/crowd_lists.hpp"

#include <algorithm>

namespace aliquot {

namespace {

// The lists as a tree: from a place to the root are the claims of a node, the last first.
class ClaimTree {
 public:
  explicit ClaimTree(std::pmr::memory_resource* memory) : places_(memory), roots_(memory) {}

  // Where a node of this capacity begins.
  std::uint32_t root(Cpu capacity) {
    const auto found = std::lower_bound(roots_.begin(), roots_.end(), capacity,
                                        [](const Root& root, Cpu cpu) { return root.capacity < cpu; });
    if (found != roots_.end() && found->capacity == capacity) return found->place;
    const std::uint32_t place = add({});
    roots_.insert(found, {capacity, place});
    return place;
  }

  // One claim on. Entries come in increasing order: those that went on from here with the same one stand
  // first among the children.
  std::uint32_t next(std::uint32_t from, Claim claim) {
    std::uint32_t child = places_[from].child;
    while (child != kNobody && places_[child].claim.entry == claim.entry) {
      if (places_[child].claim.units == claim.units) return child;
      child = places_[child].sibling;
    }
    Place place;
    place.claim = claim;
    place.parent = from;
    place.sibling = places_[from].child;
    place.depth = places_[from].depth + 1;
    const std::uint32_t added = add(place);
    places_[from].child = added;
    return added;
  }

  [[nodiscard]] std::uint32_t& list(std::uint32_t place) { return places_[place].list; }
  [[nodiscard]] std::uint32_t depth(std::uint32_t place) const { return places_[place].depth; }
  // The claims up to here, the last at `end` - 1.
  void write(std::uint32_t place, Claim* end) const {
    for (; places_[place].depth > 0; place = places_[place].parent) *--end = places_[place].claim;
  }

 private:
  static constexpr std::uint32_t kNobody = CrowdLists::kNone;
  struct Place {
    Claim claim{};
    std::uint32_t parent = kNobody;
    std::uint32_t child = kNobody;
    std::uint32_t sibling = kNobody;
    std::uint32_t depth = 0;
    std::uint32_t list = kNobody;
  };
  struct Root {
    Cpu capacity;
    std::uint32_t place;
  };
  std::uint32_t add(const Place& place) {
    places_.push_back(place);
    return static_cast<std::uint32_t>(places_.size() - 1);
  }

  std::pmr::vector<Place> places_;
  std::pmr::vector<Root> roots_;
};

}  // namespace

CrowdLists::CrowdLists(const Draft& draft)
    : lists(draft.memory()), claims(draft.memory()), at(draft.memory()) {
  const Room* const rooms = draft.rooms().all();
  ClaimTree tree(draft.memory());
  for (const NodeRun& run : draft.node_runs()) {
    for (std::uint32_t n = run.first; n < run.first + run.count; ++n) {
      if (!(rooms[n].load > run.capacity)) continue;
      if (at.empty()) at.resize(draft.nodes(), kNone);
      at[n] = tree.root(run.capacity);
    }
  }
  if (at.empty()) return;
  for (std::uint32_t i = 0; i < draft.size(); ++i) {
    std::uint32_t from = kNone;  // the last step, which the next node often takes too
    std::uint32_t to = kNone;
    std::uint32_t units = 0;
    for (const Share& share : draft.placement(i)) {
      std::uint32_t& place = at[share.node.raw];
      if (place == kNone) continue;
      if (place != from || share.units != units) {
        from = place;
        units = share.units;
        to = tree.next(place, {i, units});
      }
      place = to;
    }
  }
  for (std::uint32_t n = 0; n < at.size(); ++n) {
    if (at[n] == kNone) continue;
    std::uint32_t& list = tree.list(at[n]);
    if (list == kNone) {
      list = static_cast<std::uint32_t>(lists.size());
      const auto first = static_cast<std::uint32_t>(claims.size());
      const std::uint32_t last = first + tree.depth(at[n]);
      claims.resize(last);
      tree.write(at[n], claims.data() + last);
      lists.push_back({first, last, n});
    }
    at[n] = list;
  }
}

}  // namespace aliquot
