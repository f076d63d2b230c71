#include "policies/needs/use_window.hpp"

#include <algorithm>

namespace aliquot::needs {
namespace {

bool is_throttled(const Observation& seen) {
  constexpr std::int64_t part_of_span = 20;
  const auto held = seen.throttled ? seen.throttled : seen.waited;
  if (held) return held->raw * part_of_span > (seen.to - seen.from).raw;
  return seen.used.raw * part_of_span >= seen.allowed.raw * (part_of_span - 1);
}

// What the VM would use if it never waited: the formula of the header.
Cpu need_without_waiting(Cpu used, Duration waited, Duration span, const Observation& on) {
  const std::int64_t ran = multiply_divide(used.raw, kMillion, on.speed_ppm);  // cores of the node
  const std::int64_t waiting = multiply_divide(waited.raw, kMillion, span.raw);
  const std::int64_t fewest = (ran + waiting + kMillion - 1) / kMillion;
  const std::int64_t working = std::clamp<std::int64_t>(fewest, 1, on.vcpus) * kMillion;
  const std::int64_t need =
      multiply_divide(ran, working, std::max(working - waiting, std::max(ran, std::int64_t{1})));
  return {multiply_divide(need, on.speed_ppm, kMillion)};
}

// None: neither is known how it waited nor that its cap did not hold it back.
std::optional<Cpu> need_of(Cpu used, std::optional<Duration> waited, bool is_free, Duration span,
                           const Observation& on) {
  if (waited) return need_without_waiting(used, *waited, span, on);
  return is_free ? std::optional(used) : std::nullopt;
}

Duration cpu_time(Cpu used, Duration span) { return {multiply_divide(used.raw, span.raw, kMillion)}; }
Cpu mean_of(Duration cpu, Duration span) { return {multiply_divide(cpu.raw, kMillion, span.raw)}; }

}  // namespace

void UseWindow::observe(const Observation& seen) {
  if (seen.to <= seen.from) return;
  if (latest_ && latest_->at != seen.from) clear();
  const Duration span = seen.to - seen.from;
  const bool throttled = is_throttled(seen);
  const bool is_free = seen.throttled && !throttled;
  latest_ = {seen.to, seen.used, seen.allowed, throttled,
             need_of(seen.used, seen.waited, is_free, span, seen)};
  sums_.span += span;
  sums_.cpu += cpu_time(seen.used, span);
  sums_.throttled = sums_.throttled || throttled;
  sums_.is_free = sums_.is_free && is_free;
  if (!seen.waited) sums_.waited.reset();
  if (sums_.waited) *sums_.waited += *seen.waited;
  if (sums_.span >= kPart) complete_part(seen);
}

void UseWindow::complete_part(const Observation& last) {
  std::shift_right(parts_.begin(), parts_.end(), 1);
  const Cpu used = mean_of(sums_.cpu, sums_.span);
  parts_.front() = {sums_.span, used, need_of(used, sums_.waited, sums_.is_free, sums_.span, last),
                    sums_.throttled};
  sums_ = {};
}

UseWindow::Whole UseWindow::whole() const {
  Whole found{Cpu{}, Cpu{}, sums_.throttled};
  Duration reached;
  for (const Part& part : parts_) {
    if (part.span.raw == 0) return {};
    found.used = std::max(*found.used, part.used);
    if (!part.need) found.need.reset();
    if (found.need) found.need = std::max(*found.need, *part.need);
    found.throttled = found.throttled || part.throttled;
    reached += part.span;
    if (reached >= kWindow) break;
  }
  return found;
}

std::optional<Cpu> UseWindow::used_in_a_part() const {
  if (parts_.front().span.raw == 0) return std::nullopt;
  return std::ranges::max(parts_, {}, &Part::used).used;
}

}  // namespace aliquot::needs
