// The files of a task in the spool, before its VM is created and after it is gone; and what else every real
// backend derives from the spec of a job in the same way.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "manager/hypervisor/guest_image.hpp"
#include "manager/hypervisor/hypervisor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "monitor/calendar.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// A limit that one thread may change while others read it; copies are the same limit.
class LiveLimit {
 public:
  explicit LiveLimit(Memory limit) : bytes_(std::make_shared<std::atomic<std::int64_t>>(limit.raw)) {}
  [[nodiscard]] Memory get() const { return {bytes_->load()}; }
  void set(Memory limit) const { *bytes_ = limit.raw; }

 private:
  std::shared_ptr<std::atomic<std::int64_t>> bytes_;
};

struct TaskFileSettings {
  std::string cluster;
  Spool spool;
  GuestFiles guest;
  Calendar calendar{};  // of Instants, as it was known when the manager started
};

// The outcome of an action that names tasks which its job does not have; none: it can be begun.
[[nodiscard]] std::optional<Outcome> refusal(const Action& action, const JobSpec* spec);

[[nodiscard]] TaskNumbers numbers_of(const JobSpec& spec, std::uint32_t task);

// What the guest of a VM with so many tasks sees. An image of it is hardly larger.
[[nodiscard]] Memory guest_memory(const Submission& submission, std::uint32_t units);

// Before each start and migration of a VM: is the image that the job boots what it was when it was added?
// Reads all of it, which may take long. Error: refused, it has changed or is lost.
[[nodiscard]] Result<void> check_image(const Spool& spool, const Submission& submission);

// Creates the job's directory, description and initrd (once) and the task's disk layer, seed, console,
// status file and file for results. The console of an earlier incarnation is renamed, its other files are
// removed, so that none is taken for this incarnation's.
Result<void> prepare_task_files(const TaskFileSettings& common, const JobSpec& spec, std::uint32_t task);

// Removes the image and any partial image of the task, in the spool and in the local saves of this node;
// and the mark of those that another node keeps.
Result<void> remove_images(const Spool& spool, JobId job, std::uint32_t task);
// All that tasks of an ended job need no more, by listing its directory: images and disk layers; and its
// local saves. Its output stays.
void remove_leftovers(const Spool& spool, JobId job);

}  // namespace aliquot
