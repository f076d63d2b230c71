// The per-event CSV of a run: a row for each change of a job, as they come. (docs/metrics-of-a-run.md)
#pragma once

#include "tools/sim/metrics/job_events.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

inline constexpr const char* kEventColumns = "time,job,what,nodes,yield,rate,stall,cause";

class EventsOut {
 public:
  [[nodiscard]] static Result<EventsOut> create(const std::string& path);

  void write(Instant now, const std::vector<JobEvent>& events);
  [[nodiscard]] Result<void> close() { return sink_.close(); }

 private:
  explicit EventsOut(TextSink sink);
  TextSink sink_;
};

// "0-3x2 7": two tasks on each of the nodes 0 to 3, one on node 7. Empty: nowhere.
[[nodiscard]] std::string to_text(const Placement& placement);

}  // namespace aliquot
