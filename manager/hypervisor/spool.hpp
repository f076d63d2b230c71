// The paths of the files of jobs in the spool, the storage that all nodes and the manager share under one
// path (docs/guest-contract.md), and of the memory images that a node keeps on a disk of its own. Computes
// names only; accesses no file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "policies/model/id.hpp"

namespace aliquot {

// A directory on a disk of this node for the memory of its paused VMs (local_saves.hpp).
struct LocalSaves {
  std::string directory;  // empty: there is none, they go to the spool
  std::string id;         // of the directory, whatever node has its disk
};

class Spool {
 public:
  explicit Spool(std::string root, LocalSaves saves = {})
      : root_(std::move(root)), saves_(std::move(saves)) {}

  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const LocalSaves& saves() const { return saves_; }
  [[nodiscard]] bool has_local_saves() const { return !saves_.directory.empty(); }
  // The spool alone: the images of VMs that are on their way to another node are there.
  [[nodiscard]] Spool shared() const { return Spool(root_); }
  // What users handed in, by its SHA-256 (manager/intake/content_store.hpp). The caller has checked that
  // `sha256` has 64 hexadecimal digits.
  [[nodiscard]] std::string contents() const { return root_ + "/content"; }
  [[nodiscard]] std::string content(std::string_view sha256) const {
    return contents() + "/" + std::string(sha256);
  }
  // The records of the image store (manager/intake/image_store.hpp). `name` is an image name.
  [[nodiscard]] std::string images() const { return root_ + "/images"; }
  [[nodiscard]] std::string image_record(std::string_view name) const {
    return images() + "/" + std::string(name) + ".json";
  }
  [[nodiscard]] std::string directory(JobId job) const { return root_ + "/" + std::to_string(job.raw); }
  // What the job is (manager/hypervisor/job_description.hpp).
  [[nodiscard]] std::string description(JobId job) const { return directory(job) + "/job.json"; }
  [[nodiscard]] std::string initrd(JobId job) const { return directory(job) + "/initrd.img"; }
  [[nodiscard]] std::string console(JobId job, std::uint32_t task) const { return of(job, task, ".log"); }
  // The result files of the task (--stage-out), as the guest has sent them.
  [[nodiscard]] std::string results(JobId job, std::uint32_t task) const {
    return of(job, task, ".results");
  }
  // Each incarnation has a file of its own: what an earlier one wrote is not taken for this one's end.
  [[nodiscard]] std::string status(JobId job, std::uint32_t task, std::uint32_t incarnation) const {
    const std::string which = incarnation <= 1 ? "" : "." + std::to_string(incarnation);
    return of(job, task, which + ".status");
  }
  // Of the memory images of the job: on this node's own disk, if it has local saves.
  [[nodiscard]] std::string image_directory(JobId job) const {
    return has_local_saves() ? saves_.directory + "/" + std::to_string(job.raw) : directory(job);
  }
  // The memory image, and the file in which the next image is written before it replaces the first.
  [[nodiscard]] std::string image(JobId job, std::uint32_t task) const {
    return image_directory(job) + "/" + std::to_string(task) + ".save";
  }
  [[nodiscard]] std::string image_part(JobId job, std::uint32_t task) const {
    return image(job, task) + ".part";
  }
  // In which directory of local saves the memory of the VM is (local_saves.hpp); in the spool.
  [[nodiscard]] std::string kept_mark(JobId job, std::uint32_t task) const {
    return of(job, task, ".kept");
  }
  // Of a VM that is being moved by way of its image (manager/hypervisor/agent/move_record.hpp).
  [[nodiscard]] std::string move_record(JobId job, std::uint32_t task) const {
    return of(job, task, ".moving");
  }
  // The private disk layer of the task, above the shared disk image.
  [[nodiscard]] std::string overlay(JobId job, std::uint32_t task) const { return of(job, task, ".qcow2"); }
  // The volume that tells the system in the image what to run (manager/hypervisor/task_seed.hpp).
  [[nodiscard]] std::string seed(JobId job, std::uint32_t task) const { return of(job, task, ".seed"); }
  // What the UEFI firmware of the task remembers.
  [[nodiscard]] std::string nvram(JobId job, std::uint32_t task) const { return of(job, task, ".nvram"); }
  // With which the VMs of a job know each other (manager/hypervisor/job_key.hpp).
  [[nodiscard]] std::string ssh_key(JobId job) const { return directory(job) + "/ssh_key"; }
  // Which tasks the job has (manager/hypervisor/task_list.hpp).
  [[nodiscard]] std::string task_list(JobId job) const { return directory(job) + "/tasks"; }
  // Of a checkpoint: memory and disk of each task, and the manifest that says that it is whole.
  [[nodiscard]] std::string checkpoint_memory(JobId job, std::uint32_t number, std::uint32_t task) const {
    return of_checkpoint(job, number, std::to_string(task) + ".memory");
  }
  [[nodiscard]] std::string checkpoint_disk(JobId job, std::uint32_t number, std::uint32_t task) const {
    return of_checkpoint(job, number, std::to_string(task) + ".qcow2");
  }
  // What the node has written of this task, until the manifest says it.
  [[nodiscard]] std::string checkpoint_part(JobId job, std::uint32_t number, std::uint32_t task) const {
    return of_checkpoint(job, number, std::to_string(task) + ".part");
  }
  [[nodiscard]] std::string checkpoint_manifest(JobId job, std::uint32_t number) const {
    return of_checkpoint(job, number, "manifest");
  }
  // Files of the acceleration probe of a node.
  [[nodiscard]] std::string probe(std::string_view node) const {
    return root_ + "/probe/" + std::string(node);
  }

 private:
  [[nodiscard]] std::string of_checkpoint(JobId job, std::uint32_t number, const std::string& what) const {
    return directory(job) + "/checkpoint-" + std::to_string(number) + "." + what;
  }
  [[nodiscard]] std::string of(JobId job, std::uint32_t task, std::string_view ending) const {
    return directory(job) + "/" + std::to_string(task) + std::string(ending);
  }
  std::string root_;
  LocalSaves saves_;
};

}  // namespace aliquot
