// Reads the events of a run (--events-out; docs/metrics-of-a-run.md), row by row.
//
// Errors: not an events file; a malformed row, with its line.
#pragma once

#include <optional>
#include <string>

#include "policies/model/job.hpp"
#include "tools/sim/workload/text_source.hpp"

namespace aliquot {

struct EventRow {
  std::uint64_t line = 0;
  Instant time;
  JobId job;
  std::string what;
  Placement placement;  // increasing nodes, positive units
  Yield yield;
  Yield rate;
  Duration stall;
  std::string cause;
  std::vector<DeviceSet> devices;  // where the file has the column
};

class EventRows {
 public:
  [[nodiscard]] static Result<EventRows> open(const std::string& path);
  // Nothing at the end.
  [[nodiscard]] Result<std::optional<EventRow>> next();

 private:
  EventRows(TextSource source, std::string path) : source_(std::move(source)), path_(std::move(path)) {}
  [[nodiscard]] tl::unexpected<Error> bad(const std::string& why) const;

  TextSource source_;
  std::string path_;
  bool with_devices_ = false;
};

// "0-3x2 7"; at most 10^6 nodes. The opposite of to_text(Placement).
[[nodiscard]] Result<Placement> parse_placement(std::string_view text);
// "3*2 1"; at most as many as there are nodes.
[[nodiscard]] Result<std::vector<DeviceSet>> parse_devices(std::string_view text, std::size_t nodes);

}  // namespace aliquot
