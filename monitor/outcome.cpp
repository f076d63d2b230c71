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

std::size_t size_class_number(std::uint32_t tasks) {
  constexpr std::uint32_t most[] = {1, 8, 32};
  return static_cast<std::size_t>(std::ranges::lower_bound(most, tasks) - most);
}

}  // namespace aliquot
