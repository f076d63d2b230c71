#include "monitor/outcome.hpp"

#include <algorithm>

namespace aliquot {
namespace {

double bounded(Duration flow, double alone_s) {
  return std::max(1.0, to_seconds(flow) / std::max(to_seconds(kStretchBound), alone_s));
}

}  // namespace

Service service_of(const JobOutcome& outcome, std::optional<Duration> alone) {
  Service service;
  service.turnaround = outcome.ended - outcome.submitted;
  if (outcome.started) service.wait = *outcome.started - outcome.submitted;
  service.alone_s = alone ? to_seconds(*alone) : outcome.virtual_time.to_seconds();
  if (service.alone_s > 0) service.stretch = to_seconds(service.turnaround) / service.alone_s;
  service.bounded_stretch = bounded(service.turnaround, service.alone_s);
  return service;
}

double bounded_stretch_so_far(Duration flow, VirtualTime virtual_time) {
  return bounded(flow, virtual_time.to_seconds());
}

const char* size_class(std::uint32_t tasks) {
  if (tasks <= 1) return "one";
  if (tasks <= 8) return "small";
  return tasks <= 32 ? "medium" : "large";
}

}  // namespace aliquot
