// The interface of a VM in the network of its job, or in that of the site (docs/network.md). All names and
// addresses follow from job and task, so a VM finds its network again on every node and after every
// restart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor/record/job_network.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

struct VmInterface {
  std::uint32_t vni = 0;  // VXLAN network identifier of the job, 24 bits; the site's network has none
  std::string bridge;   // on the node; empty: in none, it leads to the shares of the job. Names of network
                        // devices have at most 15 characters
  std::string tap;      // on the node, in that bridge
  std::string mac;      // of the VM
  Ipv4Address address;  // of the VM; 0: the site's network gives it one
  std::uint32_t mtu = 0;  // bytes; 0: that of the bridge
  Bandwidth bandwidth{};  // that it may send, and receive; 0: not limited
  bool is_site = false;
};

// Jobs whose numbers are equal modulo 2^24 share a VNI; the node refuses the second one while the first has
// a VM there.
[[nodiscard]] VmInterface interface_of(JobId job, std::uint32_t task, const JobNetwork& network);

// The interface that leads to the NFS shares of the job, and nowhere else
// (manager/hypervisor/vm_shares.hpp). The guest knows it by the first byte of its hardware address, 0a.
[[nodiscard]] VmInterface share_interface_of(JobId job, std::uint32_t task);

// One XML element for the definition of the VM: what the hook on the node needs (tools/network/hook).
// `nodes`: the addresses of all nodes of the cluster.
[[nodiscard]] std::string network_element(JobId job, const VmInterface& interface,
                                          const std::vector<std::string>& nodes);

}  // namespace aliquot
