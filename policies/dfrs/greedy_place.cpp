#include "policies/dfrs/greedy_place.hpp"

#include <algorithm>
#include <vector>

namespace aliquot {

namespace {

struct Host {
  std::uint32_t node;
  std::uint32_t units;
  std::int64_t slots;
  Cpu load;
  Cpu capacity;
};

// The order of a heap whose top is the least loaded host.
bool after(const Host& a, const Host& b) {
  const Int128 left = static_cast<Int128>(a.load.raw) * b.capacity.raw;
  const Int128 right = static_cast<Int128>(b.load.raw) * a.capacity.raw;
  return left != right ? left > right : a.node > b.node;
}

}  // namespace

std::optional<Placement> greedy_placement(const Draft& draft, const Demand& demand) {
  std::vector<Host> hosts;
  std::int64_t room = 0;
  for (std::size_t n = 0; n < draft.nodes(); ++n) {
    const std::int64_t slots = draft.slots(n, demand);
    if (slots == 0) continue;
    room += slots;
    hosts.push_back({static_cast<std::uint32_t>(n), 0, slots, draft.room(n).load, draft.node(n).capacity});
  }
  if (room < demand.tasks) return std::nullopt;

  Placement placement;
  std::make_heap(hosts.begin(), hosts.end(), after);
  const auto leave = [&](const Host& host) {
    if (host.units > 0) placement.push_back({NodeId{host.node}, host.units});
  };
  for (std::uint32_t task = 0; task < demand.tasks; ++task) {
    std::pop_heap(hosts.begin(), hosts.end(), after);
    Host& host = hosts.back();
    host.load += demand.need;
    if (++host.units < host.slots) {
      std::push_heap(hosts.begin(), hosts.end(), after);
    } else {
      leave(host);
      hosts.pop_back();
    }
  }
  std::for_each(hosts.begin(), hosts.end(), leave);
  std::sort(placement.begin(), placement.end());
  return placement;
}

}  // namespace aliquot
