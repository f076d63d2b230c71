#include "manager/daemon.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "manager/store/state_codec.hpp"
#include "manager/thread_priority.hpp"

namespace aliquot {
namespace {

// Steps that are not on disk. With so many the disk is the slower of the two: what comes is taken in by one
// step later, instead of by many that wait in memory.
constexpr std::size_t kMostUnstored = 8;
constexpr Duration kSecond = seconds(1);
constexpr std::size_t kPublishAtOnce = 10'000;
// A decision of a large cluster must not come much later because the step before took long.
constexpr Duration kLongestRest{100'000};
// A person at a terminal does not notice so short a wait for the loop to look for requests.
constexpr Duration kLongestWork{5'000};

timespec poll_timeout(Instant now, Instant until) {
  // Waking a little late costs one step, a little early two.
  const Duration left = std::clamp(until - now + Duration{1}, Duration{}, kSecond);
  return {left.raw / 1'000'000, left.raw % 1'000'000 * 1000};
}

bool may_have_moved_vms(const Event& event) {
  return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<ForeignMove>(event);
}

// The cluster has changed since the plan was compared with it.
void correct(Reply& reply, const std::optional<Decision>& decision) {
  if (decision && decision->adopted) return;
  const std::string why = decision && !decision->violations.empty() ? decision->violations.front().text
                                                                    : "another plan came first";
  reply = Reply{{{ErrorKind::conflict, "the plan was not carried out, and nothing is changed: " + why +
                                           "; make a new one with `aliquot plan --save FILE`"}}};
}

}  // namespace

Result<void> Daemon::run(int signals, std::vector<Event> first, std::uint64_t newest_event) {
  raise_priority_of_loop();
  published_ = newest_event;
  parts_.input.events = std::move(first);
  while (!stop_ && !failed_) {
    const Instant now = parts_.clock.now();
    if (next_step() <= now) make_step();
    inspect_unclear();
    if (now - last_second_ >= kSecond) {
      last_second_ = now;
      for (const auto& run : parts_.every_second) {
        answer_if_overdue();
        run(now);
      }
    }
    answer_if_overdue();
    wait(signals);
    take_signals(signals);
    answer();
    for (Message& message : parts_.inbox.drain()) {
      take_message(std::move(message));
      answer_if_overdue();
    }
  }
  if (failed_) return tl::unexpected<Error>(*failed_);
  parts_.store.flush();
  for (Message& message : parts_.inbox.drain())
    if (std::holds_alternative<Durable>(message)) take_message(std::move(message));
  return {};
}

bool Daemon::may_step() const { return !parts_.input.blocked && pending_.size() < kMostUnstored; }

// When the next step is to be made; kNever: not before something is taken in.
Instant Daemon::next_step() const {
  if (!may_step()) return kNever;
  if (!parts_.input.empty()) return rested_;
  return std::max(rested_, std::min(parts_.scheduler.next_due(), parts_.next_due()));
}

void Daemon::wait(int signals) {
  if (parts_.server.pending() || parts_.requests.has_waiting()) return;
  const Instant now = parts_.clock.now();
  const Instant until = std::min({next_step(), reconciliation_.next_due(), last_second_ + kSecond});
  pollfd fds[] = {{parts_.server.fd(), POLLIN, 0}, {parts_.inbox.fd(), POLLIN, 0}, {signals, POLLIN, 0}};
  const timespec timeout = poll_timeout(now, until);
  // Interrupted or timed out: the loop looks again in any case.
  [[maybe_unused]] const int ready = ppoll(fds, std::size(fds), &timeout, nullptr);
}

void Daemon::answer() {
  parts_.server.drain([this](Incoming incoming) { parts_.requests.take(std::move(incoming)); });
  parts_.requests.answer_waiting();
  answered_ = parts_.clock.now();
}

void Daemon::answer_if_overdue() {
  if (parts_.clock.now() - answered_ > kLongestWork) answer();
}

void Daemon::take_signals(int signals) {
  signalfd_siginfo info;
  while (read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGHUP)
      parts_.reload();
    else
      stop_ = true;
  }
}

void Daemon::take_message(Message message) {
  if (auto* event = std::get_if<Event>(&message)) {
    if (const auto* answer = std::get_if<Inspected>(event))
      reconciliation_.answered(*answer, parts_.clock.now());
    parts_.input.add(std::move(*event));
  } else if (const auto* durable = std::get_if<Durable>(&message)) {
    while (!pending_.empty() && pending_.front().step.number <= durable->step) {
      parts_.stored(parts_.clock.now() - pending_.front().handed_over);
      carry_out(pending_.front());
      pending_.pop_front();
    }
    reconciliation_.note_durable(durable->step);
    publish();
  } else if (auto* failed = std::get_if<StoreFailed>(&message)) {
    failed_ = std::move(failed->error);
  } else if (auto* blocked = std::get_if<StoreBlocked>(&message)) {
    parts_.input.blocked = std::move(blocked->error);
    parts_.blocked(parts_.input.blocked);
  } else if (auto* continuation = std::get_if<Continuation>(&message)) {
    continuation->run();
  }
}

// Takes in all events at once, and decides at most once.
void Daemon::make_step() {
  const Instant begun = parts_.clock.now();
  PendingStep pending;
  std::vector<Event> events = std::exchange(parts_.input.events, {});
  pending.replies = std::exchange(parts_.input.replies, {});
  parts_.before_step(events);
  pending.step = parts_.scheduler.round(parts_.clock.now(), std::move(events),
                                        [this](const auto& work) { decision_.run(work); });
  chronicle_.run([&] {
    pending.step.chronicle =
        parts_.chronicle.note(pending.step, parts_.scheduler.cluster().state(), parts_.scheduler.policy());
  });
  for (const Action& action : pending.step.actions)
    pending.specs.push_back(parts_.scheduler.cluster().spec(head(action).job));
  for (DeferredReply& promise : pending.replies)
    if (promise.needs_adoption) correct(promise.reply, pending.step.decision);
  for (const DeferredReply& promise : pending.replies)
    if (promise.key) parts_.store.remember_answer(*promise.key, {promise.body_sha256, promise.reply.body});
  pending.handed_over = parts_.clock.now();
  parts_.store.append(pending.step);
  if (pending.step.number % kSnapshotEvery == 0) parts_.store.snapshot(parts_.scheduler.cluster().state());
  for (Observer* observer : parts_.observers) {
    answer_if_overdue();
    observer->on_step(pending.step, parts_.scheduler.cluster().view());
  }
  if (std::ranges::any_of(pending.step.events, may_have_moved_vms)) reconciliation_.ask_soon();
  reconciliation_.note_unclear(pending.step.number, parts_.scheduler.cluster().unclear());
  pending_.push_back(std::move(pending));
  const Instant ended = parts_.clock.now();
  rested_ = ended + std::min(kLongestRest, Duration{(ended - begun).raw / 2});
}

void Daemon::carry_out(PendingStep& pending) {
  if (!parts_.store.is_surely_ours()) {
    failed_ = Error{ErrorKind::not_leader, "this manager may not act any more: another may lead"};
    return;
  }
  for (std::size_t i = 0; i < pending.step.actions.size(); ++i)
    parts_.hypervisor.perform(pending.step.actions[i], std::move(pending.specs[i]));
  for (const DeferredReply& promise : pending.replies) parts_.requests.deliver(promise);
  for (Observer* observer : parts_.observers) observer->on_durable(pending.step);
}

// Subscribers get what the store has, so they can ask for what they missed by its sequence number.
void Daemon::publish() {
  for (const LoggedEvent& event : parts_.store.events(std::nullopt, published_, kPublishAtOnce)) {
    // The dot at the end keeps the events of job 12 from the subscribers to job 1.
    const std::string topic = event.job ? "job." + std::to_string(event.job->raw) + "." : "cluster.";
    parts_.server.publish(topic, event.sequence, event.json);
    published_ = event.sequence;
  }
}

void Daemon::inspect_unclear() {
  std::vector<VmQuery> queries = reconciliation_.take_due(parts_.clock.now());
  if (!queries.empty()) parts_.hypervisor.inspect(std::move(queries));
}

}  // namespace aliquot
