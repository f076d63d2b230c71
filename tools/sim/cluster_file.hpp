// The cluster of a simulation from YAML: kinds of nodes that differ.
//
//   reference: fat        # whose fractions cpu_need and memory of a workload are; left out: the first kind
//   nodes:
//     - name: fat         # its nodes are fat0, fat1, ...
//       count: 2          # left out: 1
//       cores: 8
//       speed: 1.5        # of a core, against the reference core; left out: 1
//       memory: 32GiB
//       hypervisor: xen   # jobs do not move between hypervisor kinds; left out: libvirt
//       devices: [V100*2] # of each node (config/device_words.hpp); left out: none
//
// It is read by the code that reads the manager's configuration (config/), with the same strictness: an
// error names file, line, column and key of every fault.
#pragma once

#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "tools/sim/cluster_shape.hpp"

namespace aliquot {

[[nodiscard]] Result<ClusterShape> read_cluster(const std::string& path);
[[nodiscard]] Result<ClusterShape> parse_cluster(std::string_view text, const std::string& file);

}  // namespace aliquot
