// Processes of a test, which run by turns on one model clock: what happens follows from the seed alone. A
// process can be killed and stopped; its own clock runs a little faster or slower than the true one.
//
// Each of its threads has a stack of its own and runs until it sleeps: so code that blocks can be tested as
// it is. All of it is one thread of this program.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "policies/model/time.hpp"

namespace aliquot::ha::test {

struct Process {
  std::string name;
  std::int64_t clock_ppm = 1'000'000;  // how fast its clock runs
  Duration boot;                       // what its clock said at the beginning
  std::uint64_t life = 0;              // how often it was killed
  Duration stopped_until{};
  Duration cut_off_until{};  // from etcd
};

class World {
 public:
  // Ends a thread whose process was killed, or whose world ends.
  struct Killed {};

  explicit World(std::uint64_t seed) : random_(seed) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { end(); }

  [[nodiscard]] Duration now() const { return now_; }
  [[nodiscard]] Duration now_of(const Process& process) const {
    return {process.boot.raw + now_.raw / 1000 * (process.clock_ppm / 1000)};
  }
  [[nodiscard]] bool one_in(std::uint64_t n) { return random_() % n == 0; }
  [[nodiscard]] Duration between(Duration least, Duration most) {
    return {least.raw +
            static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most.raw - least.raw + 1))};
  }

  // A thread of the process, until it returns or is killed.
  void run(Process& process, std::function<void()> work) {
    auto turn = std::make_unique<Turn>(process, std::move(work));
    turn->wake = now_;
    getcontext(&turn->place);
    turn->place.uc_stack.ss_sp = turn->stack.get();
    turn->place.uc_stack.ss_size = kStack;
    turn->place.uc_link = &scheduler_;
    makecontext(&turn->place, begin, 0);
    turns_.push_back(std::move(turn));
  }
  // Of the thread whose turn it is: others have theirs. Throws Killed.
  void sleep(Duration span) {
    Turn& self = *turn_;
    self.wake = now_ + span;
    swapcontext(&self.place, &scheduler_);
    if (is_killed()) throw Killed{};
  }
  [[nodiscard]] bool is_killed() const { return is_over_ || turn_->life != turn_->process->life; }
  // At this instant, whatever becomes of the processes.
  void later(Duration at, std::function<void()> work) { later_.emplace(at.raw, std::move(work)); }

  // Until then.
  void go_on_until(Duration until) {
    for (;;) {
      Turn* next = next_turn();
      const std::int64_t due = next != nullptr ? due_of(*next).raw : kNever;
      const std::int64_t planned = later_.empty() ? kNever : later_.begin()->first;
      if (std::min(due, planned) > until.raw) break;
      now_.raw = std::max(now_.raw, std::min(due, planned));
      if (planned <= due) {
        const auto work = std::move(later_.begin()->second);
        later_.erase(later_.begin());
        work();
      } else {
        give(*next);
      }
    }
    now_ = std::max(now_, until);
  }
  void end() {
    is_over_ = true;
    for (std::size_t i = 0; i < turns_.size(); ++i)
      if (!turns_[i]->is_done) give(*turns_[i]);
    turns_.clear();
  }

 private:
  static constexpr std::size_t kStack = std::size_t{512} << 10;
  static constexpr std::int64_t kNever = INT64_MAX;
  struct Turn {
    Turn(Process& of, std::function<void()> todo)
        : process(&of), life(of.life), work(std::move(todo)), stack(new char[kStack]) {}
    Process* process;
    std::uint64_t life;
    std::function<void()> work;
    std::unique_ptr<char[]> stack;
    ucontext_t place{};
    Duration wake;
    bool is_done = false;
  };
  static void begin() {
    World& world = *running_;
    Turn& self = *world.turn_;
    try {
      if (!world.is_killed()) self.work();
    } catch (const Killed&) {
    }
    self.is_done = true;
  }
  static Duration due_of(const Turn& turn) {
    if (turn.life != turn.process->life) return {};  // it ends before anything else happens
    const bool is_stopped = turn.process->stopped_until > turn.wake;
    return is_stopped ? turn.process->stopped_until : turn.wake;
  }
  // Threads that have ended are forgotten. The first of those that are due first.
  Turn* next_turn() {
    std::erase_if(turns_, [](const std::unique_ptr<Turn>& turn) { return turn->is_done; });
    Turn* next = nullptr;
    for (const auto& turn : turns_)
      if (next == nullptr || due_of(*turn) < due_of(*next)) next = turn.get();
    return next;
  }
  void give(Turn& turn) {
    running_ = this;
    turn_ = &turn;
    swapcontext(&scheduler_, &turn.place);
    turn_ = nullptr;
  }

  std::mt19937_64 random_;
  Duration now_{};
  bool is_over_ = false;
  std::vector<std::unique_ptr<Turn>> turns_;
  std::multimap<std::int64_t, std::function<void()>> later_;
  ucontext_t scheduler_{};
  Turn* turn_ = nullptr;
  inline static World* running_ = nullptr;
};

}  // namespace aliquot::ha::test
