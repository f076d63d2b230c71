// Decides whether a submission is accepted as a job. A job that the empty cluster could not run is refused
// at once, with the first reason found; any other job is accepted and waits until it can be placed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "config/settings.hpp"
#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"
#include "policies/model/view.hpp"

namespace aliquot {

struct AdmissionRules {
  LimitSettings limits;
  Memory max_archive;           // of a submitted program with its libraries and input files
  Memory vm_overhead;           // charged for each VM, beyond the memory of the guest
  bool model_programs = false;  // the hypervisor is the model: accept its programs only
};

// The submission with the memory that its tasks are charged: the VM overhead is added, and what the nodes
// count for their bandwidth; with the site's values for what it leaves open, and with the uid that the
// kernel reported.
[[nodiscard]] Submission charged(Submission asked, const AdmissionRules& rules, std::uint32_t uid,
                                 const std::vector<Node>& nodes);

// `nodes`: all configured nodes in any state, because a node that is down may come back. `jobs`: the number
// of jobs that have not ended. `models`: the names of the device models, by number. Errors:
// invalid_argument for a contradictory submission, too_large above a limit, refused for a job that this
// cluster could never hold.
[[nodiscard]] Result<void> admit(const Submit& asked, const std::vector<Node>& nodes, std::size_t jobs,
                                 const AdmissionRules& rules, const std::vector<std::string>& models = {});

// What the guest of such a program needs at least.
[[nodiscard]] Memory least_memory(const Program& program);

// Refused if the empty cluster could not hold the job: no hypervisor kind could alone.
[[nodiscard]] Result<void> check_fit(const Submission& job, const std::vector<Node>& nodes);
// What a job that is in the view is to ask for from now on; its VMs keep it on nodes of their kind.
[[nodiscard]] Result<void> check_fit_later(Submission later, const ClusterView& view, const Job& job);

// The numbers of device models, by their names ("V100|A100", policies/model/device_models.hpp); no name
// means any. The error for an unknown name names the known ones.
[[nodiscard]] Result<DeviceModels> device_models(const std::string& names, const std::vector<Node>& nodes,
                                                 const std::vector<std::string>& known);

// The greatest number of tasks of this demand that the empty nodes can hold at the guaranteed yield, by
// memory and CPU of each node. Exact, because all tasks of a job are equal.
[[nodiscard]] std::uint64_t empty_cluster_holds(const std::vector<Node>& nodes, const Demand& demand);

}  // namespace aliquot
