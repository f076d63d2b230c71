// Following what happens: events as they come, and a job to its end.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"
#include "tools/ctl/session.hpp"

namespace aliquot::ctl {

// The manager's event stream. The PUB socket only wakes: what happened is then asked for by `events` after
// the last one seen, so nothing that the socket drops is missed, and nothing is shown before it is durable.
class EventStream {
 public:
  // From `after` on; none: from now on.
  [[nodiscard]] static Result<std::unique_ptr<EventStream>> open(Session& session, std::optional<JobId> job,
                                                                 std::optional<std::uint64_t> after);
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream();

  // Waits for a wake-up or for `patience`, then asks; may be empty. Rows as `events` gives them.
  [[nodiscard]] Result<std::vector<nlohmann::json>> next(Duration patience);

 private:
  struct Subscription;
  EventStream(Session& session, std::optional<JobId> job, std::uint64_t last,
              std::unique_ptr<Subscription> subscription);
  Session& session_;
  std::optional<JobId> job_;
  std::uint64_t last_;
  std::unique_ptr<Subscription> subscription_;
};

[[nodiscard]] bool has_ended(const nlohmann::json& job);

// Waits for the job's end; shows it then if `show` (as `show` does), else says it. Exit code 0 if it
// completed, 1 if it did not.
[[nodiscard]] Result<int> wait_for_end(Session& session, JobId job, bool show);

}  // namespace aliquot::ctl
