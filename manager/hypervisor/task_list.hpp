// Which tasks a job with a network of its own has: what its guests name in /etc/hosts (docs/network.md). A
// block of text in the spool, which every VM of the job has as a read-only disk and reads again and again,
// so that tasks that run learn of those that join the job and of those that have left it.
//
// The disk is open wherever a VM runs, so the file is changed in place, never replaced. Whoever makes a VM
// sees to it that the file is there and names its task; the manager writes each change (task_lists.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// By which the guest knows the disk: /sys/block/*/serial.
inline constexpr char kTaskListSerial[] = "aliquot-tasks";
inline constexpr std::size_t kTaskListBytes = 4096;

// Its guests name the tasks: it has a network of its own and a command.
[[nodiscard]] bool has_task_list(const Submission& job);
// The tasks that have not left the job, by increasing number.
[[nodiscard]] std::vector<std::uint32_t> tasks_of(const JobSpec& spec);

// "0-1,4". Numbers by increasing order.
[[nodiscard]] std::string print_task_ranges(const std::vector<std::uint32_t>& tasks);
// One line, "aliquot-tasks 1 0-1,4", then zeros up to kTaskListBytes. Where the ranges would not fit, one
// range stands for all: some names then belong to no task.
[[nodiscard]] std::string task_list_block(const std::vector<std::uint32_t>& tasks);

// Before a VM of the job is made. A file that does not name its task, or names one that the job does not
// have, is of an earlier time and is written anew.
Result<void> provide_task_list(const Spool& spool, const JobSpec& spec, std::uint32_t task);
// Without effect if there is no such file: no VM has been made, or the job has ended.
Result<void> write_task_list(const Spool& spool, JobId job, const std::vector<std::uint32_t>& tasks);

}  // namespace aliquot
