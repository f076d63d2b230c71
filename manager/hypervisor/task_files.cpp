#include "manager/hypervisor/task_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "manager/hypervisor/disk_layer.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/job_description.hpp"
#include "manager/hypervisor/job_key.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/hypervisor/task_list.hpp"
#include "manager/hypervisor/task_seed.hpp"

namespace aliquot {
namespace {

// A copy that is gone does not come back, so the error is a kind that ends the job.
Result<void> check_contents(const Spool& spool, const JobSpec& spec) {
  for (const std::string& content : contents_of(spec.submission->program))
    if (!file_exists(spool.content(content)))
      return fail(ErrorKind::refused, "job " + std::to_string(spec.job.raw) + ": the spool has lost " +
                                          spool.content(content) + "; submit it again");
  return {};
}

Result<void> write_seed(const Spool& spool, const JobSpec& spec, std::uint32_t task,
                        const ImageBoot& image) {
  if (image.argv.empty()) return {};
  TaskSeed seed{
      numbers_of(spec, task), spec.tasks[task].incarnation,  spec.submission->uid,   image.argv, {},
      spec.submission->data,  !image.archive_sha256.empty(), spec.submission->shares};
  if (seed.numbers.network && !seed.numbers.network->is_site()) {
    auto key = job_ssh_key(spool, spec.job);
    if (!key) return tl::unexpected<Error>(key.error());
    seed.ssh_key = std::move(*key);
  }
  return write_task_seed(spool.seed(spec.job, task), seed);
}

}  // namespace

std::optional<Outcome> refusal(const Action& action, const JobSpec* spec) {
  const ActionHead& what = head(action);
  if (spec != nullptr && spec->tasks.size() >= what.tasks.first &&
      spec->tasks.size() - what.tasks.first >= what.tasks.count)
    return std::nullopt;
  Outcome outcome{what.op, what.job, what.tasks, {}, {}, {}};
  outcome.error = Error{ErrorKind::invalid_argument,
                        "job " + std::to_string(what.job.raw) + " has no such tasks to act on"};
  return outcome;
}

TaskNumbers numbers_of(const JobSpec& spec, std::uint32_t task) {
  TaskNumbers numbers{spec.job, task, 0, spec.tasks[task].units, 0, 0};
  numbers.all = tasks_of(spec);
  numbers.tasks = numbers.all.size();
  for (const std::uint32_t each : numbers.all) {
    if (each < task) numbers.first_unit += spec.tasks[each].units;
    numbers.all_units += spec.tasks[each].units;
  }
  numbers.network = spec.submission->network;
  return numbers;
}

// Each unit is charged one VM overhead, but the VM has only one QEMU: the guest gets the overhead of the
// other units.
Memory guest_memory(const Submission& submission, std::uint32_t units) {
  const Memory overhead = declared_memory(submission) - submission.guest_memory;
  return submission.guest_memory * units + std::max(Memory{}, overhead) * (units - 1);
}

Result<void> check_image(const Spool& spool, const Submission& submission) {
  const auto* boot = std::get_if<ImageBoot>(&submission.program);
  if (boot == nullptr) return {};
  const std::string path = spool.content(boot->image_sha256);
  const auto refused = [&](const std::string& what) {
    return fail(ErrorKind::refused, "the image " + boot->image + " " + what + "; find out what changed " +
                                        path + ", and add the same file again (`aliquot image add`)");
  };
  if (!file_exists(path)) return refused("is lost: the spool has no content of its SHA-256");
  const auto found = hash_on_disk(path);
  if (!found) return tl::unexpected<Error>(found.error());
  if (*found == boot->image_sha256) return {};
  return refused("has changed in the spool: its SHA-256 is " + *found + ", and was " + boot->image_sha256 +
                 " when it was added");
}

Result<void> prepare_task_files(const TaskFileSettings& common, const JobSpec& spec, std::uint32_t task) {
  const Spool& spool = common.spool;
  if (auto there = check_contents(spool, spec); !there) return there;
  if (auto made = make_directories(spool.directory(spec.job)); !made) return made;
  const JobDescription description{common.cluster, spec.job, common.calendar.unix_us(spec.submitted),
                                   spec.submission};
  if (auto told = describe_job(spool, description); !told) return told;
  if (has_task_list(*spec.submission))
    if (auto listed = provide_task_list(spool, spec, task); !listed) return listed;
  if (auto removed = remove_images(spool, spec.job, task); !removed) return removed;
  const std::string status = spool.status(spec.job, task, spec.tasks[task].incarnation);
  if (auto removed = remove_file(status); !removed) return removed;
  const std::string console = spool.console(spec.job, task);
  if (file_exists(console)) {
    if (auto kept = rename_file(console, console + ".previous"); !kept) return kept;
  }
  std::vector<std::string> files{console, status};
  if (!spec.submission->data.stage_out.empty()) {
    files.push_back(spool.results(spec.job, task));
    if (auto removed = remove_file(files.back()); !removed) return removed;
  }
  // Created by the manager, so that it may read them whatever user QEMU runs as.
  for (const std::string& file : files) {
    if (auto made = create_empty(file); !made) return made;
  }
  if (const auto* image = std::get_if<ImageBoot>(&spec.submission->program)) {
    if (auto seeded = write_seed(spool, spec, task, *image); !seeded) return seeded;
    if (auto removed = remove_file(spool.nvram(spec.job, task)); !removed) return removed;
    return write_disk_layer(spool.overlay(spec.job, task), spool.content(image->image_sha256));
  }
  const auto* command = std::get_if<LinuxCommand>(&spec.submission->program);
  if (command == nullptr || file_exists(spool.initrd(spec.job))) return {};
  return compose_initrd(common.guest, spool, spec.job, *command, spec.submission->data,
                        spec.submission->shares);
}

// The mark first: without it, the image that a node keeps is nothing any more.
Result<void> remove_images(const Spool& spool, JobId job, std::uint32_t task) {
  if (auto removed = remove_kept_mark(spool, job, task); !removed) return removed;
  std::vector<Spool> places{spool.shared()};
  if (spool.has_local_saves()) places.push_back(spool);
  for (const Spool& place : places)
    for (const std::string& image : {place.image_part(job, task), place.image(job, task)})
      if (auto removed = remove_file(image); !removed) return removed;
  return {};
}

void remove_leftovers(const Spool& spool, JobId job) {
  std::error_code failure;
  std::vector<std::string> images;
  for (std::filesystem::directory_iterator at(spool.directory(job), failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".save") || name.ends_with(".save.part") || name.ends_with(".qcow2") ||
        name.ends_with(".seed") || name.ends_with(".nvram") || name.ends_with(".moving") ||
        name.ends_with(".kept") || name == "ssh_key" || name == "tasks")
      images.push_back(at->path().string());
  }
  for (const std::string& image : images) (void)remove_file(image);
  remove_local_saves(spool, job);
}

}  // namespace aliquot
