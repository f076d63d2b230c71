// The part of a task's seed that is about the other tasks: the network of the job, ssh between its VMs, and
// the launcher of MPI programs.
#pragma once

#include <string>

#include "manager/hypervisor/task_seed.hpp"

namespace aliquot {

// What cloud-init reads before user-data (network-config, version 2): the interface of the VM, or none.
[[nodiscard]] std::string network_config(const TaskNumbers& numbers);

// A command of the guest, as lines of user-data that put it into /usr/local/bin.
[[nodiscard]] std::string install_script(const std::string& name, const char* content);

// Lines of user-data, for root: aliquot-mpi is there; in a job with a network, also eth0 with its address,
// the names of all tasks, and sshd and ssh with the key of the job.
[[nodiscard]] std::string network_script(const TaskSeed& seed);

}  // namespace aliquot
