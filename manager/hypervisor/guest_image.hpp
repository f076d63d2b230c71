// What guests boot from: the files of the guest directory, and the initrd of a job
// (docs/guest-contract.md). The initrd of a job is the base initrd, then the job's archive, then a small
// archive with the command. Linux unpacks the archives in this order; each begins on a multiple of 4 bytes,
// and zeros between them are skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "monitor/record/submission.hpp"
#include "policies/model/error.hpp"
#include "policies/model/units.hpp"

namespace aliquot {

// Files that stand under the same path on every node.
struct GuestFiles {
  explicit GuestFiles(const std::string& directory)
      : kernel(directory + "/vmlinuz"),
        initrd(directory + "/initrd.img"),
        shares(directory + "/shares.img"),
        parameters(directory + "/cmdline"),
        chain(directory + "/hashchain.elf") {}
  std::string kernel;
  std::string initrd;
  std::string shares;      // an archive with what NFS shares need beside `initrd`
  std::string parameters;  // one line of kernel parameters that precede the task's own; may be absent
  std::string chain;
};

// The position of a VM within its job. Its command runs once, for all units that the VM holds.
struct TaskNumbers {
  JobId job;
  std::uint32_t task = 0;        // of the VM
  std::size_t tasks = 1;         // VMs of the job, without those that have left it
  std::uint32_t units = 1;       // tasks, as submitted, that the VM holds
  std::uint32_t first_unit = 0;  // of these
  std::uint32_t all_units = 1;   // of the job
  std::optional<JobNetwork> network{};
  std::vector<std::uint32_t> all{0};  // by number: those that `tasks` counts
};

// The kernel command line of a Linux task guest: the parameters in GuestFiles::parameters (without that
// file, built-in ones), then the task's own.
[[nodiscard]] std::string linux_cmdline(const GuestFiles& guest, const TaskNumbers& numbers,
                                        Memory max_output);

// The small archive that carries the command: `aliquot/argv`, arguments separated by NUL, and what the job
// says of its data: `aliquot/env`, `aliquot/workdir` and `aliquot/stage-out`.
// `aliquot/shares` lists the shares to mount (vm_shares.hpp).
[[nodiscard]] Result<std::string> command_archive(const std::vector<std::string>& argv, const JobData& data,
                                                  const std::vector<NfsShare>& shares = {});

// Writes the job's initrd, whole or not at all; equal input gives equal bytes.
Result<void> compose_initrd(const GuestFiles& guest, const Spool& spool, JobId job,
                            const LinuxCommand& command, const JobData& data,
                            const std::vector<NfsShare>& shares = {});

}  // namespace aliquot
