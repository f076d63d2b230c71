// The network of a job's VMs (docs/network.md): one of the job's own, an Ethernet segment with the VMs of
// the job on it and nothing else, or a bridge of the site. What the site's settings said when the job was
// submitted, so that its addresses stay.
#pragma once

#include <cstdint>
#include <string>

#include "policies/model/ipv4.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// What a task may ask for.
inline constexpr Bandwidth kLeastBandwidth{kMillion};
inline constexpr Bandwidth kMostBandwidth{1'000'000 * kMillion};

struct JobNetwork {
  Ipv4Network addresses;  // the VM of task t has the address number t + 1 of it; the site's gives its own
  std::uint32_t mtu = 0;  // bytes: the largest packet of the VMs; 0: that of the site's bridge
  std::string site_bridge{};  // of every node; empty: the job has a network of its own
  Bandwidth bandwidth{};      // that each task may send, and receive; 0: not limited
  [[nodiscard]] bool is_site() const { return !site_bridge.empty(); }
  friend bool operator==(const JobNetwork&, const JobNetwork&) = default;
};

}  // namespace aliquot
