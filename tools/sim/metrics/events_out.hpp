// The per-event CSV of a run: a row for each change of a job, as they come. (docs/metrics-of-a-run.md)
#pragma once

#include "tools/sim/metrics/job_events.hpp"
#include "tools/sim/metrics/text_sink.hpp"

namespace aliquot {

inline constexpr const char* kEventColumns = "time,job,what,nodes,yield,rate,stall,cause";
inline constexpr const char* kDevicesColumn = ",devices";  // of a cluster that has some

class EventsOut {
 public:
  [[nodiscard]] static Result<EventsOut> create(const std::string& path, bool with_devices = false);

  void write(Instant now, const std::vector<JobEvent>& events);
  [[nodiscard]] Result<void> close() { return sink_.close(); }

 private:
  EventsOut(TextSink sink, bool with_devices);
  TextSink sink_;
  bool with_devices_;
};

// "0-3x2 7": two tasks on each of the nodes 0 to 3, one on node 7. Empty: nowhere.
[[nodiscard]] std::string to_text(const Placement& placement);
// "3*2 1": slots 0 and 1 of each of the first two nodes of the placement, slot 0 of the third; in
// hexadecimal.
[[nodiscard]] std::string to_text(const std::vector<DeviceSet>& devices);

}  // namespace aliquot
