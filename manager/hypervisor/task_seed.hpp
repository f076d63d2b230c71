// The seed of a task whose program runs in a disk image: a small read-only volume in the form that
// cloud-init reads (NoCloud), which the VM has as its second disk. Its user-data is a shell script that
// runs the program and reports its end (docs/guest-contract.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manager/hypervisor/guest_image.hpp"
#include "manager/hypervisor/iso9660.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct TaskSeed {
  TaskNumbers numbers;
  std::uint32_t incarnation = 1;
  std::uint32_t uid = 0;  // the user who submitted: the program runs with this number
  std::vector<std::string> argv;
  std::string ssh_key;     // of the job (PEM), if it has a network
  JobData data{};          // environment, working directory, standard input and result files of the command
  bool has_files = false;  // the third disk is the archive of its input files
  std::vector<NfsShare> shares{};
};

// One word of a shell: every byte stands for itself.
[[nodiscard]] std::string shell_quoted(const std::string& text);

[[nodiscard]] std::string user_data(const TaskSeed& seed);

[[nodiscard]] std::vector<VolumeFile> seed_files(const TaskSeed& seed);

// Writes the volume, whole or not at all. An error if an argument holds a NUL.
Result<void> write_task_seed(const std::string& path, const TaskSeed& seed);

}  // namespace aliquot
