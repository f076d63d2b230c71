#include "manager/hypervisor/agent/node_terminals.hpp"

#include <utility>

namespace aliquot::agent {
namespace {

constexpr std::size_t kMostTerminals = 64;

FromAgent answer_to(std::uint64_t number, std::optional<Error> error) {
  Answer answer;
  answer.number = number;
  answer.error = std::move(error);
  return answer;
}

}  // namespace

void NodeTerminals::open(const OpenTerminal& asked) {
  {
    const std::lock_guard lock(mutex_);
    if (terminals_.size() >= kMostTerminals)
      return parts_.say(answer_to(
          asked.number, Error{ErrorKind::unavailable, "the node has " + std::to_string(kMostTerminals) +
                                                          " terminals already; close one first"}));
    terminals_.try_emplace(asked.number);
  }
  tasks_.run([this, asked]() -> std::function<void()> {
    open_on_vm(asked);
    return {};
  });
}

void NodeTerminals::open_on_vm(const OpenTerminal& asked) {
  auto opened =
      parts_.open({asked.job, asked.task, asked.incarnation, parts_.node}, listener_of(asked.number));
  std::optional<Error> error = opened ? std::nullopt : std::optional(opened.error());
  std::shared_ptr<VmTerminal> vm = opened ? std::move(*opened) : nullptr;  // released here if it was closed
  {
    const std::lock_guard lock(mutex_);
    const auto at = terminals_.find(asked.number);
    if (at != terminals_.end() && vm) at->second.vm = std::move(vm);
    if (at != terminals_.end() && error) terminals_.erase(at);
  }
  parts_.say(answer_to(asked.number, std::move(error)));
}

TerminalListener NodeTerminals::listener_of(Number number) const {
  const auto say = parts_.say;
  return {[say, number](std::string bytes) {
            say(FromTerminal{number, std::move(bytes), 0, {}});
          },
          [say, number](std::string why) {
            say(FromTerminal{number, {}, 0, std::move(why)});
          }};
}

void NodeTerminals::take(const ToTerminal& message) {
  const std::lock_guard lock(mutex_);
  const auto at = terminals_.find(message.terminal);
  if (at == terminals_.end()) return;
  Terminal& terminal = at->second;
  terminal.typed += message.typed;
  const bool is_too_much = terminal.typed.size() > kMostTerminalBytes;
  if (is_too_much)
    parts_.say(FromTerminal{message.terminal, {}, 0, "more was typed than the agent was ready to take"});
  if (message.closes || is_too_much) {
    release(std::move(terminal.vm));
    terminals_.erase(at);
    return;
  }
  if (!terminal.vm) return;
  hand_on(message.terminal, terminal);
  if (message.reads) terminal.vm->read_on();
}

void NodeTerminals::hand_on(Number number, Terminal& terminal) {
  if (!terminal.vm || terminal.typed.empty() || !terminal.vm->write(terminal.typed)) return;
  const auto taken = static_cast<std::uint32_t>(std::exchange(terminal.typed, {}).size());
  parts_.say(FromTerminal{number, {}, taken, {}});
}

void NodeTerminals::every_second() {
  const std::lock_guard lock(mutex_);
  for (auto& [number, terminal] : terminals_) hand_on(number, terminal);
}

// Not on the loop, which need not wait for the node.
void NodeTerminals::release(std::shared_ptr<VmTerminal> vm) {
  if (!vm) return;
  tasks_.run([vm = std::move(vm)]() mutable -> std::function<void()> {
    vm.reset();
    return {};
  });
}

}  // namespace aliquot::agent
