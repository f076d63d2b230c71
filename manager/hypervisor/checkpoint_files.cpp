#include "manager/hypervisor/checkpoint_files.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/task_files.hpp"
#include "monitor/sha256.hpp"

namespace aliquot {
namespace {

constexpr std::string_view kTitle = "aliquot-checkpoint 1";
constexpr std::string_view kPrefix = "checkpoint-";
constexpr std::size_t kLargestManifest = std::size_t{16} << 20;
constexpr std::string_view kNone = "-";

std::string_view or_none(std::string_view sum) { return sum.empty() ? kNone : sum; }

tl::unexpected<Error> damaged(const std::string& what, const std::string& why) {
  return fail(ErrorKind::refused, what + " is damaged: " + why);
}

Result<void> check_file(const std::string& path, const std::string& sha256) {
  const auto found = hash_on_disk(path);
  if (!found) return damaged(path, found.error().message);
  if (*found != sha256) return damaged(path, "its checksum is not that of the manifest");
  return {};
}

// Each with the number of its checkpoint.
std::vector<std::pair<std::uint32_t, std::string>> checkpoint_files(const Spool& spool, JobId job) {
  std::error_code failure;
  std::vector<std::pair<std::uint32_t, std::string>> files;
  for (std::filesystem::directory_iterator at(spool.directory(job), failure), end; !failure && at != end;
       at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kPrefix)) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    files.emplace_back(number, at->path().string());
  }
  return files;
}

}  // namespace

TaskCheckpoint checkpoint_of(const Spool& spool, const VmIdentity& vm) {
  TaskCheckpoint out;
  out.task = vm.task;
  out.vm = to_string(vm_uuid(vm));
  out.console = read_chunk(spool.console(vm.job, vm.task), 0, 0).size;
  out.status = read_chunk(spool.status(vm.job, vm.task, vm.incarnation), 0, 0).size;
  out.results = read_chunk(spool.results(vm.job, vm.task), 0, 0).size;
  return out;
}

std::string manifest_text(const std::vector<TaskCheckpoint>& tasks) {
  std::ostringstream out;
  out << kTitle << "\n";
  for (const TaskCheckpoint& one : tasks)
    out << "task " << one.task << " " << one.vm << " " << one.console << " " << one.status << " "
        << or_none(one.memory_sha256) << " " << or_none(one.disk_sha256) << " " << one.results << "\n";
  const std::string lines = out.str();
  return lines + "sha256 " + sha256_hex(lines) + "\n";
}

Result<std::vector<TaskCheckpoint>> parse_manifest(const std::string& text) {
  const std::size_t last = text.rfind("sha256 ");
  if (last == std::string::npos || text.substr(last) != "sha256 " + sha256_hex(text.substr(0, last)) + "\n")
    return damaged("the manifest", "it is not whole");
  std::istringstream lines(text.substr(0, last));
  std::string line;
  if (!std::getline(lines, line) || line != kTitle)
    return fail(ErrorKind::refused, "the manifest is of another version: '" + line.substr(0, 40) + "'");
  std::vector<TaskCheckpoint> tasks;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string word;
    TaskCheckpoint one;
    words >> word >> one.task >> one.vm >> one.console >> one.status >> one.memory_sha256 >>
        one.disk_sha256;
    if (!words || word != "task") return damaged("the manifest", "a line is malformed");
    if (!(words >> one.results)) one.results = 0;  // of a version without result files
    for (std::string* sum : {&one.memory_sha256, &one.disk_sha256})
      if (*sum == kNone) sum->clear();
    tasks.push_back(std::move(one));
  }
  return tasks;
}

Result<void> write_part(const Spool& spool, JobId job, std::uint32_t number, const TaskCheckpoint& part) {
  const std::string text = manifest_text({part});
  return write_atomically(spool.checkpoint_part(job, number, part.task),
                          [&](const Writer& out) { return out(text); });
}

Result<TaskCheckpoint> read_part(const Spool& spool, JobId job, std::uint32_t number, std::uint32_t task) {
  const std::string path = spool.checkpoint_part(job, number, task);
  const auto text = read_head(path, kLargestManifest);
  if (!text) return damaged("the checkpoint's part " + path, text.error().message);
  const auto parts = parse_manifest(*text);
  if (!parts) return fail(parts.error().kind, path + ": " + parts.error().message);
  if (parts->size() != 1 || parts->front().task != task)
    return damaged(path, "it is not of task " + std::to_string(task));
  return parts->front();
}

Result<void> seal_checkpoint(const Spool& spool, JobId job, std::uint32_t number,
                             std::vector<TaskCheckpoint> tasks, bool has_disk) {
  for (TaskCheckpoint& one : tasks) {
    const auto memory = hash_on_disk(spool.checkpoint_memory(job, number, one.task));
    if (!memory) return tl::unexpected(memory.error());
    one.memory_sha256 = *memory;
    if (!has_disk) continue;
    const auto disk = hash_on_disk(spool.checkpoint_disk(job, number, one.task));
    if (!disk) return tl::unexpected(disk.error());
    one.disk_sha256 = *disk;
  }
  const std::string manifest = manifest_text(tasks);
  const auto written = write_atomically(spool.checkpoint_manifest(job, number),
                                        [&](const Writer& out) { return out(manifest); });
  if (!written) return written;
  return flush_directory(spool.directory(job));
}

Result<TaskCheckpoint> verified_checkpoint(const Spool& spool, JobId job, std::uint32_t number,
                                           std::uint32_t task, const Uuid& vm) {
  const std::string path = spool.checkpoint_manifest(job, number);
  const auto text = read_head(path, kLargestManifest);
  if (!text) return damaged("checkpoint " + std::to_string(number), text.error().message);
  const auto tasks = parse_manifest(*text);
  if (!tasks) return fail(tasks.error().kind, path + ": " + tasks.error().message);
  const auto found = std::ranges::find(*tasks, task, &TaskCheckpoint::task);
  if (found == tasks->end() || found->vm != to_string(vm))
    return fail(ErrorKind::refused, path + " is not of VM " + to_string(vm));
  if (auto whole = check_file(spool.checkpoint_memory(job, number, task), found->memory_sha256); !whole)
    return tl::unexpected(whole.error());
  if (!found->disk_sha256.empty())
    if (auto whole = check_file(spool.checkpoint_disk(job, number, task), found->disk_sha256); !whole)
      return tl::unexpected(whole.error());
  return *found;
}

Result<std::string> go_back_to(const Spool& spool, const VmIdentity& vm, std::uint32_t number) {
  const auto then = verified_checkpoint(spool, vm.job, number, vm.task, vm_uuid(vm));
  if (!then) return tl::unexpected(then.error());
  if (auto removed = remove_images(spool, vm.job, vm.task); !removed)
    return tl::unexpected(removed.error());
  for (const auto& [file, length] :
       {std::pair(spool.console(vm.job, vm.task), then->console),
        std::pair(spool.status(vm.job, vm.task, vm.incarnation), then->status)})
    if (auto cut = cut_file(file, length); !cut) return tl::unexpected(cut.error());
  if (const std::string results = spool.results(vm.job, vm.task); file_exists(results))
    if (auto cut = cut_file(results, then->results); !cut) return tl::unexpected(cut.error());
  // The copy stays: the restore may have to be repeated.
  if (!then->disk_sha256.empty())
    if (auto copied =
            copy_file(spool.checkpoint_disk(vm.job, number, vm.task), spool.overlay(vm.job, vm.task));
        !copied)
      return tl::unexpected(copied.error());
  return spool.checkpoint_memory(vm.job, number, vm.task);
}

std::uint32_t newest_checkpoint(const Spool& spool, JobId job) {
  std::uint32_t newest = 0;
  for (const auto& [number, path] : checkpoint_files(spool, job)) newest = std::max(newest, number);
  return newest;
}

void remove_checkpoints(const Spool& spool, JobId job, const std::vector<std::uint32_t>& keep,
                        std::uint32_t newest) {
  std::vector<std::string> files;
  for (auto& [number, path] : checkpoint_files(spool, job))
    if (number <= newest && std::ranges::find(keep, number) == keep.end()) files.push_back(std::move(path));
  // The manifests first: what is left after a crash is no checkpoint.
  std::ranges::sort(files, std::greater<>{},
                    [](const std::string& file) { return file.ends_with("manifest"); });
  for (const std::string& file : files) (void)remove_file(file);
}

Result<void> conclude_checkpoint(const Spool& spool, const Checkpoint& action,
                                 const std::vector<TaskCheckpoint>* tasks, bool has_disk) {
  Result<void> sealed;
  if (tasks != nullptr) sealed = seal_checkpoint(spool, action.job, action.number, *tasks, has_disk);
  std::vector<std::uint32_t> keep = action.keep;
  if (tasks != nullptr && sealed) keep.push_back(action.number);
  remove_checkpoints(spool, action.job, keep, action.number);
  return sealed;
}

Result<void> seal_parts(const Spool& spool, const Checkpoint& action,
                        const std::vector<std::uint32_t>& tasks, bool has_disk) {
  Result<void> whole;
  std::vector<TaskCheckpoint> parts;
  for (const std::uint32_t task : tasks) {
    const auto part = read_part(spool, action.job, action.number, task);
    if (part)
      parts.push_back(*part);
    else
      whole = tl::unexpected(part.error());
  }
  const bool is_whole = whole && !parts.empty();
  const auto concluded = conclude_checkpoint(spool, action, is_whole ? &parts : nullptr, has_disk);
  return whole ? concluded : whole;
}

}  // namespace aliquot
