// What the store's tests share: steps that can be told apart, a store that is open and counted.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "manager/store/sqlite_store.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/monitor/codec/random_value.hpp"

namespace aliquot::test {

// A step whose content follows from its number: what is recovered can be compared with what was appended.
inline Step step_numbered(std::uint64_t number) {
  Random random(number);
  Step step;
  step.number = number;
  step.now = {static_cast<std::int64_t>(number) * 1000};
  for (auto n = random.below(4); n > 0; --n) step.events.push_back(random.make<Event>());
  for (auto n = random.below(3); n > 0; --n) step.actions.push_back(random.make<Action>());
  if (random.below(4) == 0) step.decision = random.make<Decision>();
  if (random.below(4) == 0) {
    step.ended.push_back(random.make<JobOutcome>());
    step.ended.back().job = {number};
  }
  return step;
}

inline CoreState state_after(std::uint64_t steps) {
  auto state = Random(steps).make<CoreState>();
  state.steps = steps;
  state.view.now = {static_cast<std::int64_t>(steps) * 1000};
  return state;
}

// A store in use, with what it reported.
class OpenStore {
 public:
  explicit OpenStore(const std::string& path, Retention retention = {}, Store::Blocked blocked = {},
                     const Replication* replication = nullptr)
      : store(std::make_unique<SqliteStore>(path, retention, SqliteStore::Admit{}, replication)),
        recovered(store->recover()) {
    if (!recovered) return;
    store->on_blocked(std::move(blocked));
    store->start([this](std::uint64_t step) { durable = step, ++groups; },
                 [this](const Error& error) {
                   const std::lock_guard lock(mutex);
                   failures.push_back(error);
                 });
  }
  void append(std::uint64_t first, std::uint64_t last) const {
    for (auto number = first; number <= last; ++number) store->append(step_numbered(number));
  }
  // Until this step is durable; what went wrong where it will not be (a full disk), else nothing.
  [[nodiscard]] std::string wait_until_durable(std::uint64_t step) {
    while (durable < step) {
      if (const auto errors = failed(); !errors.empty()) return errors.front().message;
      std::this_thread::yield();
    }
    return {};
  }
  [[nodiscard]] std::vector<Error> failed() {
    const std::lock_guard lock(mutex);
    return failures;
  }

  std::atomic<std::uint64_t> durable{0};
  std::atomic<int> groups{0};
  std::mutex mutex;
  std::vector<Error> failures;
  std::unique_ptr<SqliteStore> store;  // goes first: its thread calls the above
  Result<Recovered> recovered;
};

}  // namespace aliquot::test
