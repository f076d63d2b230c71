#include "manager/hypervisor/agent/agent_wire_bounds.hpp"

#include <algorithm>
#include <string>

#include "monitor/codec_fields.hpp"

namespace aliquot::agent {
namespace {

constexpr std::size_t kMostUriBytes = 2000;  // as in the configuration (migrate_uri)

void check(const TaskRun& tasks, std::size_t tasks_of_job) {
  if (tasks.count > 0 && tasks.first <= tasks_of_job && tasks.count <= tasks_of_job - tasks.first) return;
  codec::broken("its job has no tasks " + std::to_string(tasks.first) + " and so on, " +
                std::to_string(tasks.count) + " of them");
}

// The counters of a run start at 0 and never decrease.
void check(const VmSample& sample) {
  const Duration least =
      std::min({sample.cpu, sample.waited.value_or(Duration{}), sample.throttled.value_or(Duration{})});
  const GuestMemory memory = sample.memory.value_or(GuestMemory{{}, {}, 1});
  const bool is_of_a_vm = sample.task < kMostTasks && sample.vcpus > 0 && least >= Duration{};
  const bool is_of_a_guest = memory.usable.raw >= 0 && memory.usable <= memory.given &&
                             memory.given <= kMostMemory && memory.told > 0;
  if (is_of_a_vm && is_of_a_guest) return;
  codec::broken("what no " + std::string(is_of_a_vm ? "guest" : "VM") + " can have: the sample of task " +
                std::to_string(sample.task) + " of job " + std::to_string(sample.job.raw));
}

void check(const std::vector<VmSample>& samples) {
  for (const VmSample& sample : samples) check(sample);
}

void check_terminal(const std::string& bytes) {
  if (bytes.size() > kMostTerminalBytes)
    codec::broken("a terminal has at most " + std::to_string(kMostTerminalBytes) + " bytes at once");
}

}  // namespace

void check_bounds(const ToAgent& message) {
  if (const auto* prepare = std::get_if<PrepareMove>(&message)) {
    check({prepare->move.task, 1}, prepare->spec.tasks.size());
    if (prepare->move.to_uri.size() > kMostUriBytes)
      codec::broken("to_uri has at most " + std::to_string(kMostUriBytes) + " bytes");
    if (prepare->move.bandwidth < Bandwidth{}) codec::broken("bandwidth: it is below 0");
  }
  const auto* balloon = std::get_if<SetBalloon>(&message);
  if (balloon && (balloon->memory < kLeastMemory || balloon->memory > kMostMemory))
    codec::broken("memory: a guest can have from " + std::to_string(kLeastMemory.raw) + " to " +
                  std::to_string(kMostMemory.raw) + " bytes");
  if (const auto* terminal = std::get_if<ToTerminal>(&message)) check_terminal(terminal->typed);
  const auto* perform = std::get_if<Perform>(&message);
  if (perform == nullptr) return;
  for (const Action& action : perform->actions) check(head(action).tasks, perform->spec.tasks.size());
}

void check_bounds(const FromAgent& message) {
  if (const auto* departed = std::get_if<Departed>(&message)) check(departed->samples);
  if (const auto* answer = std::get_if<Answer>(&message)) check(answer->samples);
  if (const auto* terminal = std::get_if<FromTerminal>(&message)) check_terminal(terminal->output);
  const auto* happened = std::get_if<Happened>(&message);
  if (happened == nullptr) return;
  if (const auto* outcome = std::get_if<Outcome>(&happened->event)) check(outcome->tasks, kMostTasks);
  if (const auto* ended = std::get_if<TaskEnded>(&happened->event)) check(ended->tasks, kMostTasks);
}

}  // namespace aliquot::agent
