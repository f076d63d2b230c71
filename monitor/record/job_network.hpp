// The network of a job: an Ethernet segment with the VMs of the job on it, and nothing else
// (docs/network.md). What the site's settings said when the job was submitted, so that its addresses stay.
#pragma once

#include <cstdint>

#include "policies/model/ipv4.hpp"

namespace aliquot {

struct JobNetwork {
  Ipv4Network addresses;  // the VM of task t has the address number t + 1 of it
  std::uint32_t mtu = 0;  // bytes: the largest packet of the VMs
  friend bool operator==(const JobNetwork&, const JobNetwork&) = default;
};

}  // namespace aliquot
