// The files of a job's checkpoints in the spool. Of each task there is a memory image, a copy of its disk
// layer if it has a disk, and how long its console and its other files were at that moment. A manifest
// names them with their checksums. It is written last, when all of them are on disk: a checkpoint without a
// manifest is none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manager/hypervisor/spool.hpp"
#include "manager/hypervisor/vm_identity.hpp"
#include "monitor/record/action.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct TaskCheckpoint {
  std::uint32_t task = 0;
  std::string vm;  // its UUID
  std::uint64_t console = 0;
  std::uint64_t status = 0;
  std::string memory_sha256;
  std::string disk_sha256;    // empty: it has no disk
  std::uint64_t results = 0;  // sent of its result files
  friend bool operator==(const TaskCheckpoint&, const TaskCheckpoint&) = default;
};

// Of a VM that stands still now: how long its outputs are. Without checksums, which sealing computes.
[[nodiscard]] TaskCheckpoint checkpoint_of(const Spool& spool, const VmIdentity& vm);

// As text, a line for each task; the last line is the checksum of the others.
[[nodiscard]] std::string manifest_text(const std::vector<TaskCheckpoint>& tasks);
[[nodiscard]] Result<std::vector<TaskCheckpoint>> parse_manifest(const std::string& text);

// What the node of a task has written of the checkpoint; without checksums, which sealing it computes.
Result<void> write_part(const Spool& spool, JobId job, std::uint32_t number, const TaskCheckpoint& part);
// ErrorKind::refused: the part is not whole, or of another task.
[[nodiscard]] Result<TaskCheckpoint> read_part(const Spool& spool, JobId job, std::uint32_t number,
                                               std::uint32_t task);

// All files of these tasks are written: computes their checksums and writes the manifest. `has_disk`: each
// task has a disk.
Result<void> seal_checkpoint(const Spool& spool, JobId job, std::uint32_t number,
                             std::vector<TaskCheckpoint> tasks, bool has_disk);

// The end of a checkpoint, which reads its files and takes as long: seals it, if these tasks are written
// (null: it has failed), and removes what is left of it otherwise, and those that it replaces.
Result<void> conclude_checkpoint(const Spool& spool, const Checkpoint& action,
                                 const std::vector<TaskCheckpoint>* tasks, bool has_disk);

// The same with the parts of these tasks; without tasks, the checkpoint has failed.
Result<void> seal_parts(const Spool& spool, const Checkpoint& action,
                        const std::vector<std::uint32_t>& tasks, bool has_disk);

// What the manifest says of the task, if its files are as they were written; else ErrorKind::refused.
[[nodiscard]] Result<TaskCheckpoint> verified_checkpoint(const Spool& spool, JobId job,
                                                         std::uint32_t number, std::uint32_t task,
                                                         const Uuid& vm);

// The outputs and the disk of the VM, which is gone, become what they were at this checkpoint. Returns the
// image of its memory.
[[nodiscard]] Result<std::string> go_back_to(const Spool& spool, const VmIdentity& vm,
                                             std::uint32_t number);

// The highest number of a checkpoint of which there is a file, whole or not; 0: there is none.
[[nodiscard]] std::uint32_t newest_checkpoint(const Spool& spool, JobId job);

// Removes the files of all checkpoints up to this number but those to be kept.
void remove_checkpoints(const Spool& spool, JobId job, const std::vector<std::uint32_t>& keep,
                        std::uint32_t newest);

}  // namespace aliquot
