#include "manager/api/answers/memory_answers.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "manager/api/answers/admission.hpp"
#include "policies/needs/memory_advice.hpp"
#include "policies/reasons.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

// Sooner, a program may not have taken what it will use.
constexpr VirtualTime kLongEnough{60 * kMillion};

bool stands(const Vm& vm) { return vm.state == VmState::ready || vm.state == VmState::running; }

// Of a task: a VM with devices may hold several, and is never given less than all of its memory.
Memory used_by_task(const Submission& job, const GuestMemory& memory) {
  if (!is_grouped(job.demand)) return memory.used();
  if (memory.given.raw == 0) return {};
  return {multiply_divide(memory.used().raw, job.guest_memory.raw, memory.given.raw)};
}

std::optional<Memory> to_declare(const Submission& job, const std::optional<JobUse>& use, bool has_ended,
                                 VirtualTime served) {
  if (!use || !use->largest_memory || (!has_ended && served < kLongEnough)) return std::nullopt;
  const Memory used = used_by_task(job, use->largest_memory->memory);
  return needs::memory_to_declare(job.guest_memory, used, least_memory(job.program));
}

// The task that uses the most now.
std::optional<RunUse> largest_now(const std::optional<JobUse>& use, const JobRecord* record) {
  std::optional<RunUse> largest;
  if (!record) return largest;
  for (std::uint32_t task = 0; task < record->vms.size(); ++task) {
    const auto told = memory_told(use, record->vms[task], task);
    if (told && (!largest || largest->memory->used() < told->memory->used())) largest = told;
  }
  return largest;
}

std::string why_unknown(const Submission& job, const std::optional<JobUse>& use) {
  if (std::holds_alternative<HashChain>(job.program)) return "the hash-chain guest does not tell";
  if (!use || use->runs.empty()) return "no counter of its VMs has been read yet";
  return "no guest of it has told: one needs the driver virtio_balloon and some seconds, and under Xen "
         "none "
         "tells";
}

}  // namespace

std::optional<RunUse> memory_told(const std::optional<JobUse>& use, const Vm& vm, std::uint32_t task) {
  if (!use || !stands(vm)) return std::nullopt;
  const auto next = std::ranges::upper_bound(use->runs, task, {}, &RunUse::task);
  if (next == use->runs.begin()) return std::nullopt;
  const RunUse& last = *std::prev(next);
  const bool is_of_now = last.task == task && last.incarnation == vm.incarnation && last.node == vm.node;
  return is_of_now && last.memory ? std::optional(last) : std::nullopt;
}

json memory_json(const Submission& job, const std::optional<JobUse>& use, const JobRecord* record,
                 VirtualTime served, const AnswerClock& clock) {
  const auto bytes = [&](const GuestMemory& memory) { return used_by_task(job, memory).raw; };
  const auto now = largest_now(use, record);
  json answer{
      {"declared_bytes", job.guest_memory.raw},
      {"counted_bytes", guest_memory_counted(job).raw},
      {"used_bytes", now ? json(bytes(*now->memory)) : json()},
      {"used_by_task", now ? json(now->task) : json()},
      {"used_s_ago", now && now->memory_told ? json(to_seconds(clock.now - *now->memory_told)) : json()},
      {"largest_bytes", nullptr},
      {"largest_of_task", nullptr},
      {"largest_at", nullptr},
      {"unknown", nullptr},
      {"to_declare_bytes", nullptr}};
  if (use && use->largest_memory) {
    answer["largest_bytes"] = bytes(use->largest_memory->memory);
    answer["largest_of_task"] = use->largest_memory->task;
    answer["largest_at"] = iso_time(use->largest_memory->at, clock);
  } else {
    answer["unknown"] = why_unknown(job, use);
  }
  if (const auto better = to_declare(job, use, record == nullptr, served))
    answer["to_declare_bytes"] = better->raw;
  return answer;
}

std::string memory_advice(const Submission& job, const std::optional<JobUse>& use, bool has_ended,
                          VirtualTime served) {
  const auto better = to_declare(job, use, has_ended, served);
  if (!better) return {};
  const Memory used = used_by_task(job, use->largest_memory->memory);
  return "A task declares " + text_of(job.guest_memory) + " and " + (has_ended ? "used" : "has used") +
         " at most " + text_of(used) + ": " + needs::mem_option(*better) +
         (*better < job.guest_memory ? " is enough." : " is safer.");
}

}  // namespace aliquot
