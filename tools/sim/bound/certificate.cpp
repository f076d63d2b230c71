#include "tools/sim/bound/certificate.hpp"

#include <algorithm>

namespace aliquot {

Int128 left_for(const TimeSet& time, const BoundJob& job, Stretch stretch) {
  const Instant end = deadline(job, stretch);
  const Duration outside = (end - job.release) - time.within(job.release, end);
  const Int128 left = Int128{job.work.raw} * kMillion - Int128{outside.raw} * job.fastest.raw;
  return std::max<Int128>(left, 0);
}

// Bounds: a job's work is at most 10^15 us, so 10^21 in these units; weights are made such that the sum
// over all jobs stays below 2^126 (weights.cpp).
bool proves(const BoundInstance& instance, const Certificate& certificate, Stretch stretch) {
  const JobWeights& weights = certificate.weights;
  Int128 asked = 0;
  for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
    if (weights.each[j] > 0)
      asked += left_for(certificate.time, instance.jobs[j], stretch) * weights.each[j];
  }
  // asked > capacity x |T| x 10^6, without the product's overflow.
  const Int128 unit = Int128{certificate.time.length().raw} * kMillion;
  if (unit == 0) return asked > 0;
  return asked / unit > weights.capacity || (asked / unit == weights.capacity && asked % unit > 0);
}

Stretch highest_proved(const BoundInstance& instance, const Certificate& certificate, Stretch known) {
  if (!proves(instance, certificate, known)) return known;
  std::int64_t low = known.nano;  // proved
  std::int64_t high = low;        // not proved
  for (std::int64_t step = std::max<std::int64_t>(1, low / 1024); high == low; step *= 2) {
    high = std::min(low + step, kMostStretch.nano);
    if (proves(instance, certificate, {high})) low = high;
    if (low == kMostStretch.nano) return {low};
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (proves(instance, certificate, {middle}) ? low : high) = middle;
  }
  return {low};
}

}  // namespace aliquot
