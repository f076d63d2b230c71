#include "manager/terminals.hpp"

#include <algorithm>
#include <utility>

#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/terminal_answers.hpp"

namespace aliquot {
namespace {

constexpr auto kReadPatience = std::chrono::seconds(5);
constexpr auto kUnread = std::chrono::seconds(60);

std::string name_of(JobId job, std::uint32_t task) {
  return "task " + std::to_string(task) + " of job " + std::to_string(job.raw);
}

Reply refusal(Error error) { return Reply{std::move(error)}; }

}  // namespace

Result<TerminalTarget> Terminals::target_of(const Attach& request) const {
  const JobRecord* record = parts_.scheduler.cluster().record(request.job);
  if (!record)
    return fail(ErrorKind::not_found, "job " + std::to_string(request.job.raw) +
                                          " is not there any more, or has never been; see `aliquot list`");
  if (request.task >= record->vms.size())
    return fail(ErrorKind::not_found, "job " + std::to_string(request.job.raw) + " has tasks 0 to " +
                                          std::to_string(record->vms.size() - 1) + ", not " +
                                          std::to_string(request.task));
  const Vm& vm = record->vms[request.task];
  const std::string name = name_of(request.job, request.task);
  if (vm.state == VmState::ended) return fail(ErrorKind::not_found, name + " has ended");
  if (vm.state != VmState::running || vm.unclear || record->leaving)
    return fail(ErrorKind::conflict, name + " does not run at the moment; `aliquot why " +
                                         std::to_string(request.job.raw) + "` tells the reason");
  return TerminalTarget{request.job, request.task, vm.incarnation, vm.node};
}

Result<Terminals::Terminal*> Terminals::find(const Peer& peer, Number number) {
  const auto at = terminals_.find(number);
  if (at == terminals_.end() || at->second.uid != peer.uid)
    return fail(ErrorKind::not_found,
                "there is no terminal " + std::to_string(number) + " of yours; attach to the task again");
  return &at->second;
}

void Terminals::on(const Peer& peer, const Attach& request, const Answer& answer) {
  const auto target = target_of(request);
  if (!target) return answer(refusal(target.error()));
  for (auto& [number, each] : terminals_)
    if (each.job == request.job && each.task == request.task)
      end(number, "it was opened again by uid " + std::to_string(peer.uid));
  const auto of_user = std::ranges::count_if(
      terminals_, [&](const auto& each) { return each.second.uid == peer.uid && !each.second.end; });
  if (static_cast<std::size_t>(of_user) >= kTerminalsOfUser || terminals_.size() >= kTerminals)
    return answer(refusal(
        {ErrorKind::unavailable, "there are " + std::to_string(of_user) + " terminals of yours and " +
                                     std::to_string(terminals_.size()) + " in all; close one first"}));
  const Number number = ++last_;
  terminals_[number] = {peer.uid, request.job, request.task, {}, {}, {}, {}, Clock::now()};
  nodes_.run(
      [this, number, at = *target, listener = listener_of(number), answer]() -> std::function<void()> {
        auto vm = parts_.open(at, listener).map([](std::unique_ptr<VmTerminal> made) {
          return std::shared_ptr<VmTerminal>(std::move(made));
        });
        return [this, number, vm = std::move(vm), answer] { opened(number, vm, answer); };
      });
}

void Terminals::opened(Number number, Result<std::shared_ptr<VmTerminal>> vm, const Answer& answer) {
  const auto at = terminals_.find(number);
  if (at == terminals_.end())  // the node took more than a minute
    return answer(refusal({ErrorKind::timeout, "the node answered too late; attach again"}));
  Terminal& terminal = at->second;
  if (!vm) {
    const bool has_left = vm.error().kind == ErrorKind::not_found;  // since the request was read
    const Error why{has_left ? ErrorKind::conflict : vm.error().kind,
                    "no terminal on " + name_of(terminal.job, terminal.task) + ": " + vm.error().message};
    terminals_.erase(at);
    return answer(refusal(why));
  }
  parts_.log("terminal_opened job=" + std::to_string(terminal.job.raw) +
             " task=" + std::to_string(terminal.task) + " by_uid=" + std::to_string(terminal.uid));
  terminal.vm = std::move(*vm);
  if (terminal.end)
    release(terminal);
  else
    terminal.vm->read_on();
  answer(Reply{{}, attached_answer(terminal.job, terminal.task, number)});
}

// What the other threads tell comes through the inbox, as everything does.
TerminalListener Terminals::listener_of(Number number) {
  Inbox& inbox = parts_.inbox;
  return {[this, &inbox, number](std::string bytes) {
            inbox.post(Continuation{[this, number, bytes = std::move(bytes)] {
              const auto at = terminals_.find(number);
              if (at == terminals_.end() || at->second.end) return;
              at->second.output += bytes;
              hand_out(at->second);
            }});
          },
          [this, &inbox, number](const std::string& why) {
            inbox.post(Continuation{[this, number, why] { end(number, why); }});
          }};
}

void Terminals::hand_out(Terminal& terminal) {
  if (!terminal.reader) return;
  const bool more = !terminal.output.empty() && !terminal.end && terminal.vm;
  std::exchange(terminal.reader,
                {})(Reply{{}, terminal_answer(terminal.end), std::exchange(terminal.output, {})});
  if (more) terminal.vm->read_on();
}

void Terminals::on(const Peer& peer, const TerminalRead& request, const Answer& answer) {
  const auto terminal = find(peer, request.terminal);
  if (!terminal) return answer(refusal(terminal.error()));
  if ((*terminal)->reader) hand_out(**terminal);  // its client has asked again
  (*terminal)->reader = answer;
  (*terminal)->read = Clock::now();
  if (!(*terminal)->output.empty() || (*terminal)->end) hand_out(**terminal);
}

void Terminals::on(const Peer& peer, const TerminalWrite& request, const Answer& answer) {
  const auto terminal = find(peer, request.terminal);
  if (!terminal) return answer(refusal(terminal.error()));
  const Terminal& at = **terminal;
  if (at.vm && !at.end && !at.vm->write(request.bytes))
    return answer(refusal({ErrorKind::unavailable, "the guest does not read what was typed; wait"}));
  answer(Reply{{}, terminal_answer(at.end)});
}

void Terminals::on(const Peer& peer, const TerminalClose& request, const Answer& answer) {
  const auto terminal = find(peer, request.terminal);
  if (!terminal) return answer(refusal(terminal.error()));
  end(request.terminal, "it was closed");
  answer(Reply{{}, terminal_answer((*terminal)->end)});
}

void Terminals::end(Number number, const std::string& why) {
  const auto at = terminals_.find(number);
  if (at == terminals_.end() || at->second.end) return;
  at->second.end = why;
  hand_out(at->second);
  release(at->second);
}

void Terminals::release(Terminal& terminal) {
  if (!terminal.vm) return;
  nodes_.run([vm = std::exchange(terminal.vm, {})]() mutable -> std::function<void()> {
    vm.reset();
    return {};
  });
}

void Terminals::every_second(Clock::time_point now) {
  for (auto& [number, each] : terminals_) {
    if (each.reader && now - each.read >= kReadPatience) hand_out(each);
    if (!each.reader && now - each.read >= kUnread) end(number, "nothing was read from it for a minute");
  }
  std::erase_if(terminals_, [now](const auto& each) {
    return each.second.end && !each.second.reader && now - each.second.read >= kUnread;
  });
}

}  // namespace aliquot
