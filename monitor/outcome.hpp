// What a job's end says of its service: waits, turnaround, stretch (GLOSSARY has each formula).
//
// One place for these formulas; metrics, command line and the simulator's report all call it. Pure. Raw
// doubles are for reports only. The time alone is the run time at full yield: the simulator knows it and
// passes it in; on a live cluster the virtual time of the job at its end replaces it (DFRS, II-B).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "monitor/record/step.hpp"

namespace aliquot {

struct Service {
  Duration turnaround;           // end - submission: the flow time at the end
  std::optional<Duration> wait;  // first start - submission; none: it never ran
  double alone_s = 0;            // the time alone, seconds
  double stretch = 1;            // turnaround / time alone; 1 where the time alone is 0
  double bounded_stretch = 1;    // max(1, turnaround / max(30 s, time alone))
};

// `alone`: the run time at full yield where it is known; none: the virtual time stands for it.
[[nodiscard]] Service service_of(const JobOutcome& outcome, std::optional<Duration> alone = std::nullopt);

// Of a job that has not ended: max(1, f / max(30 s, v)), f its flow time, v its virtual time so far.
[[nodiscard]] double bounded_stretch_so_far(Duration flow, VirtualTime virtual_time);

// The width of a job as a label of few values: small is 2 to 8 tasks, medium 9 to 32.
inline constexpr const char* kSizeClasses[] = {"one", "small", "medium", "large"};
[[nodiscard]] std::size_t size_class_number(std::uint32_t tasks);  // in kSizeClasses
[[nodiscard]] inline const char* size_class(std::uint32_t tasks) {
  return kSizeClasses[size_class_number(tasks)];
}

}  // namespace aliquot
