// May this submission become a job? What could never run is refused at once, with the one reason that comes
// first; what could run on the empty cluster is taken, and waits as long as it takes. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct AdmissionRules {
  LimitSettings limits;
  Memory max_archive;           // of a submitted program with its libraries
  Memory vm_overhead;           // charged per VM beyond the guest's memory
  bool model_programs = false;  // the model hypervisor runs: its programs are taken, real ones are not
};

// The submission as it is charged: the VM's overhead on top of the guest's memory, the uid the kernel gave.
[[nodiscard]] Submission charged(Submission asked, Memory vm_overhead, std::uint32_t uid);

// `nodes`: all that are configured, whatever their state now: a node that is down comes back. `jobs`: how
// many there are that have not ended. Errors: invalid_argument for what is wrong in itself, too_large for
// limits, refused for what this cluster could never hold.
// `models`: of the nodes' devices; the submission has its number, not its name (device_model).
[[nodiscard]] Result<void> admit(const Submit& asked, const std::vector<Node>& nodes, std::size_t jobs,
                                 const AdmissionRules& rules, const std::vector<std::string>& models = {});

// The number of a model by its name; empty: any. An error names the models that there are.
[[nodiscard]] Result<DeviceModel> device_model(const std::string& name, const std::vector<Node>& nodes,
                                               const std::vector<std::string>& models);

// The most tasks of this demand that fit on the empty nodes at the job's guaranteed yield: by memory and by
// CPU, node by node. Exact, because tasks of one job are alike.
[[nodiscard]] std::uint64_t empty_cluster_holds(const std::vector<Node>& nodes, const Demand& demand);

}  // namespace aliquot
