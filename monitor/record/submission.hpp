// A job as it was submitted: its demand, which policies use, and its description for all other parts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "monitor/record/job_array.hpp"
#include "monitor/record/job_data.hpp"
#include "monitor/record/job_network.hpp"
#include "monitor/record/shared.hpp"
#include "policies/model/job.hpp"
#include "policies/model/nfs_share.hpp"
#include "policies/needs/need_mode.hpp"

namespace aliquot {

// A command run by the project's own small Linux guest. The archive (newc cpio: the program, the libraries
// it needs, and the input files of the job) is appended to the guest's initrd. Archives, kernels and images
// stand in the spool under their SHA-256.
struct LinuxCommand {
  std::vector<std::string> argv;
  std::string archive_sha256;  // empty: the command is part of the guest itself (busybox)
  friend bool operator==(const LinuxCommand&, const LinuxCommand&) = default;
};

// The tiny guest without an operating system: `blocks` lines of a hash chain, each `unit` steps long.
struct HashChain {
  std::uint32_t blocks = 0;
  std::uint32_t unit = 0;
  friend bool operator==(const HashChain&, const HashChain&) = default;
};

// A kernel of the user's own; it powers off when it is done. The VM boots the copies that the manager took
// at the submission; the paths say where they came from.
struct KernelBoot {
  std::string kernel;
  std::string initrd;  // may be empty
  std::string cmdline;
  std::string kernel_sha256{};
  std::string initrd_sha256{};
  friend bool operator==(const KernelBoot&, const KernelBoot&) = default;
};

// A disk image of the image store, booted with a private overlay for each task. The job needs the content
// that the image had when the job was submitted. A command is run by the system in the image, as its seed
// tells it (manager/hypervisor/task_seed.hpp); without one the image runs what it holds.
struct ImageBoot {
  std::string image;  // its name; of earlier versions, the path of the file that was copied
  std::string image_sha256{};
  std::vector<std::string> argv{};  // may be empty
  std::string archive_sha256{};     // of the input files of the command (newc); empty: none
  bool uefi = false;                // as the image was added: it boots by UEFI, not by a BIOS
  friend bool operator==(const ImageBoot&, const ImageBoot&) = default;
};

// The model hypervisor's job: takes `alone` at full yield, then ends with `exit_code`.
struct ModelWork {
  Duration alone;
  int exit_code = 0;
  friend bool operator==(const ModelWork&, const ModelWork&) = default;
};

using Program = std::variant<ModelWork, LinuxCommand, HashChain, KernelBoot, ImageBoot>;

// The archive that travels with a request, by its SHA-256; none: this kind of program has no archive.
template <class P>
[[nodiscard]] auto* archive_of(P& program) {
  auto* command = std::get_if<LinuxCommand>(&program);
  auto* boot = std::get_if<ImageBoot>(&program);
  return command != nullptr ? &command->archive_sha256 : boot != nullptr ? &boot->archive_sha256 : nullptr;
}

// The files in the spool that a program needs, by SHA-256.
[[nodiscard]] inline std::vector<std::string> contents_of(const Program& program) {
  std::vector<std::string> all;
  if (const auto* command = std::get_if<LinuxCommand>(&program)) all = {command->archive_sha256};
  if (const auto* boot = std::get_if<KernelBoot>(&program))
    all = {boot->kernel_sha256, boot->initrd_sha256};
  if (const auto* boot = std::get_if<ImageBoot>(&program)) all = {boot->image_sha256, boot->archive_sha256};
  std::erase(all, "");
  return all;
}

// What becomes of a job's other tasks when one of them fails.
enum class OnTaskFailure : std::uint8_t {
  fail,      // they are ended: the job fails as a whole
  carry_on,  // they run to their ends, then the job has failed
};

// What a job computes. Finished runs of one application are compared by it
// (policies/moldable/knowledge.hpp).
struct Problem {
  std::string application;
  std::uint64_t size{};  // in a unit of the application's own
  std::uint64_t iterations = 1;
  friend bool operator==(const Problem&, const Problem&) = default;
};

// From how many tasks the number in the demand was chosen, when the job was submitted, and why so many.
struct TaskChoice {
  std::uint32_t least = 1;
  std::uint32_t most = 1;
  // How its speed depends on their number (policies/moldable/speedup_text.hpp); empty: the job does not say
  // so, and the number is chosen by what is known of its application.
  std::string speedup;
  std::string why;  // empty: the number is not chosen yet
  friend bool operator==(const TaskChoice&, const TaskChoice&) = default;
};

// A later step of the profile of an evolving job: when its virtual time is `after`, it is to have so many
// tasks.
struct LaterStep {
  Duration after;
  std::uint32_t tasks = 1;
  friend bool operator==(const LaterStep&, const LaterStep&) = default;
};
inline constexpr std::size_t kMostSteps = 100;  // of one profile, after the first
inline constexpr Duration kLongestStep = seconds(366 * 86'400);
inline constexpr std::int64_t kMaxTasks = 1'000'000;  // whatever the limits of a site

// What its user has declared of a job whose need has been learned.
struct DeclaredNeed {
  Cpu need;
  Yield min_yield;
  friend bool operator==(const DeclaredNeed&, const DeclaredNeed&) = default;
};

// What the accounts of a job gave it when it was submitted, in shares of the need that its user declares:
// the reservation and the limit, each with the account that it is from. An empty name: there is none.
struct AccountYields {
  Yield min;
  std::string min_of{};
  Yield max = kFullYield;
  std::string max_of{};
  friend bool operator==(const AccountYields&, const AccountYields&) = default;
};

// What another job has to do before a job that depends on it may start.
enum class Awaited : std::uint8_t {
  start,    // it has started, or has ended
  end,      // it has ended, however
  success,  // it has completed
  failure,  // it has ended, and has not completed
};
struct Dependency {
  JobId job;
  Awaited what = Awaited::success;
  std::optional<std::uint32_t> member{};  // of the array that `job` names, the one with this index
  friend bool operator==(const Dependency&, const Dependency&) = default;
};
inline constexpr std::size_t kMostDependencies = 100;  // of one job

// When the job may start, where that is not at once: not before all of this holds.
struct StartTerms {
  std::vector<Dependency> after{};
  bool singleton = false;          // every earlier job of its name and its user has ended
  std::optional<Instant> begin{};  // this time has come
  [[nodiscard]] bool any() const { return !after.empty() || singleton || begin; }
  friend bool operator==(const StartTerms&, const StartTerms&) = default;
};

// A task that is to leave gets so long after it has been told, where its job does not say otherwise.
inline constexpr Duration kGrace = seconds(30);

struct Submission {
  Demand demand;
  Program program;
  Memory guest_memory;          // what the guest sees; demand.memory is this plus the VM's overhead
  std::optional<Cpu> max_need;  // what the need of a task may grow to while it runs; none: it stays
  std::string name;
  std::string account;
  std::uint32_t uid = 0;  // from the kernel's peer credentials, never from the request
  bool hold = false;
  std::optional<Duration> time_limit;    // of virtual time: a slowed job is not cut short
  std::optional<Duration> wall_limit{};  // of the time since it first ran, its pauses included
  // So long before a limit its tasks are told (Notify): of its virtual time, or of real time.
  std::optional<Duration> warn{};
  OnTaskFailure on_task_failure = OnTaskFailure::fail;
  // A checkpoint is made so often that at most this much of its virtual time can be lost. 0: none is made;
  // no value: as often as the site has it.
  std::optional<Duration> checkpoint{};
  // How often it may start anew after VMs of it were lost with their node; none: as the site has it.
  std::optional<std::uint32_t> requeue{};
  std::optional<JobNetwork> network{};  // between its VMs; none: its VMs have no network
  JobData data{};                       // of a command only
  std::vector<NfsShare> shares{};       // in the guests of a command
  std::optional<TaskChoice> choice{};   // none: the job was submitted with one number of tasks
  // Known beforehand; demand.tasks is the number of the first step. By increasing `after`, which is not 0.
  std::vector<LaterStep> profile{};
  Duration grace = kGrace;
  std::optional<Problem> problem{};            // none: its run teaches nothing
  std::optional<needs::NeedMode> need_mode{};  // whether its need is learned; none: it is not
  // Given while the need in `demand` is a learned one. The guaranteed yield there is then the same CPU as a
  // share of that need.
  std::optional<DeclaredNeed> declared{};
  StartTerms start{};
  // Given while the memory in `demand` is less, because the tasks do not use all of it.
  std::optional<Memory> declared_memory{};
  std::optional<ArrayTerms> array{};              // it is not run itself: its members are made of it
  std::optional<ArrayMember> member{};            // an array has made it
  std::optional<AccountYields> account_yields{};  // none: its accounts say nothing of yields
  friend bool operator==(const Submission&, const Submission&) = default;
};

// The files in the spool that are kept as long as the job has not ended. An array, which ends after its
// members, keeps them for all of these.
[[nodiscard]] inline std::vector<std::string> contents_to_keep(const Submission& job) {
  return job.member ? std::vector<std::string>() : contents_of(job.program);
}

// The most CPU a task may ever be given.
[[nodiscard]] inline Cpu most_cpu(const Submission& job) { return job.max_need.value_or(job.demand.need); }

[[nodiscard]] inline DeclaredNeed declared_need(const Submission& job) {
  return job.declared.value_or(DeclaredNeed{job.demand.need, job.demand.min_yield});
}

// The need that it may be counted with at most, where its account limits the yield: a part of what it
// declares, at least one micro-core.
[[nodiscard]] inline std::optional<Cpu> limited_need(const Submission& job) {
  if (!job.account_yields || job.account_yields->max >= kFullYield) return std::nullopt;
  return std::max(declared_need(job).need * job.account_yields->max, Cpu{1});
}

// The job with another need, as its user declares it. Its VMs keep their virtual CPUs, so the most that
// they may be given stays.
[[nodiscard]] inline Submission with_need(Submission job, Cpu need) {
  job.max_need = most_cpu(job);
  job.demand.min_yield = declared_need(job).min_yield;
  job.declared.reset();
  job.demand.need = need;
  return job;
}

// The job with a need that has been learned. Its guaranteed yield becomes the same amount of CPU as a share
// of that need: all of it at most, and never less for having been learned.
[[nodiscard]] inline Submission with_learned_need(Submission job, Cpu need) {
  const DeclaredNeed declared = declared_need(job);
  job = with_need(std::move(job), need);
  if (need == declared.need) return job;
  job.declared = declared;
  job.demand.min_yield = std::min(at_other_need(declared.min_yield, declared.need, need), kFullYield);
  return job;
}

// Of a task, as its user has declared it, the overhead of its VM included.
[[nodiscard]] inline Memory declared_memory(const Submission& job) {
  return job.declared_memory.value_or(job.demand.memory);
}

// What the guest of a task has of its memory while the job is counted with so much.
[[nodiscard]] inline Memory guest_memory_counted(const Submission& job) {
  return job.guest_memory - (declared_memory(job) - job.demand.memory);
}

// The job counted with so much memory: at most what its user has declared.
[[nodiscard]] inline Submission with_counted_memory(Submission job, Memory memory) {
  const Memory declared = declared_memory(job);
  job.demand.memory = std::min(memory, declared);
  job.declared_memory = memory < declared ? std::optional(declared) : std::nullopt;
  return job;
}

// VMs that cannot be saved cannot be written to a checkpoint either.
[[nodiscard]] inline bool is_checkpointed(const Submission& job) {
  return job.checkpoint && job.checkpoint->raw > 0 && job.demand.movable;
}

// Whether tasks may join it while it runs. Where devices or a spread are asked for, its policy places all
// of it at once.
[[nodiscard]] inline bool can_grow(const Submission& job) { return !is_constrained(job.demand); }

// How many numbers its tasks may have: in a network each number has addresses of its own, of which those of
// the hardware hold 16 bits. The number of a task that has left is not given again.
[[nodiscard]] inline std::uint64_t most_numbers(const Submission& job) {
  constexpr std::uint64_t kOfHardware = 65'536;
  if (!job.network) return ~std::uint64_t{};
  if (job.network->is_site()) return kOfHardware;
  return std::min<std::uint64_t>(kOfHardware, hosts_of(job.network->addresses));
}

// How many numbers its profile gives, if nothing else changes its size.
[[nodiscard]] inline std::uint64_t numbers_of_profile(const Submission& job) {
  std::uint64_t numbers = job.demand.tasks;
  std::uint32_t before = job.demand.tasks;
  for (const LaterStep& step : job.profile) {
    if (step.tasks > before) numbers += step.tasks - before;
    before = step.tasks;
  }
  return numbers;
}

// Of the VM of a task: as many as it takes to use that on reference cores, at least one. A running VM keeps
// the vCPUs it was created with.
[[nodiscard]] inline std::uint32_t vcpus_of(const Submission& job) {
  const std::int64_t whole = (most_cpu(job).raw + kMillion - 1) / kMillion;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, whole));
}

}  // namespace aliquot
