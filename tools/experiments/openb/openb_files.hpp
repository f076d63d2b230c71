// The files of Alibaba's GPU cluster (cluster-trace-gpu-v2023, "openb"): nodes and tasks, as CSV.
//
// The files have CPU in thousandths of a core, memory in MiB, the number of GPUs, and thousandths of a GPU
// that is shared; such a share becomes a hard slice. A malformed line is an error that names it; no line is
// skipped. Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct OpenbCluster {
  std::vector<Node> nodes;
  std::vector<std::string> device_models;

  [[nodiscard]] std::int64_t parts() const;  // of all devices
};

[[nodiscard]] Result<OpenbCluster> read_openb_nodes(const std::string& path);
// The demand of each task, in the file's order: one task with its whole need guaranteed. The column
// gpu_spec, which some lists do not have, names the models that the task accepts; one that no node has is
// an error.
[[nodiscard]] Result<std::vector<Demand>> read_openb_tasks(const std::string& path,
                                                           const OpenbCluster& cluster);

}  // namespace aliquot
