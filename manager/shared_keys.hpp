// The keys of remote clients on several managers (docs/high-availability.md): the store has all of them as
// one text, so that each manager has those of the leader. A key that was revoked is revoked on all.
//
// A manager alone goes by its files, and keeps what they say for others that there may be one day.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "manager/api/wire/job_server.hpp"
#include "manager/store/store.hpp"
#include "monitor/log.hpp"

namespace aliquot {

// When the manager starts: of several, it takes the keys over that the leader before had. From then on each
// change is in the store, and durable before it is acknowledged where others follow. The store outlives the
// last change.
[[nodiscard]] Result<void> share_keys(KeyBook& keys, Store& store, const Recovered& recovered,
                                      bool is_replicated);

// Of a standby: follows the keys in its store, which follows that of the leader.
class FollowedKeys {
 public:
  FollowedKeys(JobServer& server, std::string store, TextLog& log)
      : server_(server), store_(std::move(store)), log_(log) {}
  // `batch`: the newest that the store has. Looks at most once a second.
  void look(std::uint64_t batch);

 private:
  [[nodiscard]] Result<void> follow();

  JobServer& server_;
  const std::string store_;  // path
  TextLog& log_;
  std::string text_;  // that the keys are of; empty: of none
  std::uint64_t batch_ = 0;
  std::chrono::steady_clock::time_point looked_{};
};

}  // namespace aliquot
