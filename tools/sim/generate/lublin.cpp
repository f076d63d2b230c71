#include "tools/sim/generate/lublin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace aliquot {
namespace {

// The random numbers of the Lublin-Feitelson program: POSIX's 48-bit linear congruential generator
// (srand48, drand48), and gamma variates made of it in the program's own order of draws.
//
// Only for workloads that must equal the program's to the bit; the state is a value, nothing is shared.
// Source: IEEE Std 1003.1, drand48; U. Lublin, D. Feitelson, JPDC 63 (2003); M. Joehnk's method for the
// part of the shape that is no whole number.
struct GammaShape {
  double shape = 1;
  double scale = 1;
};

class LublinChance {
 public:
  explicit LublinChance(std::uint32_t seed) : state_((std::uint64_t{seed} << 16) | 0x330E) {}

  // In [0, 1).
  double uniform() {
    state_ = (state_ * 0x5DEECE66DU + 0xBU) & ((std::uint64_t{1} << 48) - 1);
    return std::ldexp(static_cast<double>(state_), -48);
  }

  double gamma(const GammaShape& of) {
    const double whole = std::floor(of.shape);
    double sum = 0;
    for (double k = 0; k < whole; ++k) sum += -std::log(uniform());
    sum *= of.scale;
    const double rest = of.shape - whole;
    if (rest <= 0) return sum;
    double x = 0;
    double y = 0;
    do {
      x = std::pow(uniform(), 1 / rest);
      y = std::pow(uniform(), 1 / (1 - rest));
    } while (x + y > 1);
    return sum + of.scale * (x / (x + y)) * -std::log(uniform());
  }

 private:
  std::uint64_t state_;
};

// The daily cycle of the Lublin-Feitelson model: how many arrivals each half hour of the day draws.
// By half hour, the first from midnight; the mean is 1.
using LublinDay = std::array<double, 48>;
constexpr double kPrecision = 1e-10;
constexpr int kMostTerms = 1000;

// P(a, x) by its series (Abramowitz and Stegun 6.5.29); converges fast for x < a + 1.
double lower_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < kMostTerms && std::abs(term) >= std::abs(sum) * kPrecision; ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// 1 - P(a, x) by its continued fraction (Abramowitz and Stegun 6.5.31), evaluated from the front (Lentz).
double upper_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double value = d;
  for (int n = 1; n < kMostTerms; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = factor * d + b;
    c = b + factor / c;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = std::abs(c) < tiny ? tiny : c;
    value *= d * c;
    if (std::abs(d * c - 1) < kPrecision) break;
  }
  return value * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// The probability that the variate is at most `at`.
double cumulative(const GammaShape& of, double at) {
  const double x = at / of.scale;
  if (x <= 0) return 0;
  return x < of.shape + 1 ? lower_series(of.shape, x) : 1 - upper_fraction(of.shape, x);
}

// The gamma distribution counts half hours from 05:00 (index 10), where the cycle is at its lowest.
LublinDay lublin_day(const GammaShape& shape) {
  LublinDay day{};
  constexpr std::size_t begin = 11;
  for (std::size_t i = begin; i < begin + day.size(); ++i) {
    const auto at = static_cast<double>(i);
    day[(i - 1) % day.size()] = cumulative(shape, at + 0.5) - cumulative(shape, at - 0.5);
  }
  const double mean = std::accumulate(day.begin(), day.end(), 0.0) / static_cast<double>(day.size());
  for (double& weight : day) weight /= mean;
  return day;
}

constexpr double kMostLogRuntime = 12;   // ln s: 162754 s
constexpr double kMostLogInterval = 13;  // ln s

// What the model says of one stream of jobs.
struct Stream {
  double serial, power_of_two;      // probabilities
  double low, middle, high, first;  // log2 of the nodes; `first`: probability of [low, middle]
  GammaShape short_runs, long_runs;
  double slope, offset;  // probability of a short run = slope * nodes + offset
  GammaShape interval;   // ln of the time between arrivals
  GammaShape day;        // of the daily cycle, in half hours
};

constexpr Stream kInteractive{0.1541,
                              0.625,
                              1,
                              3,
                              5.5,
                              0.705,
                              {3.8351, 0.6605},
                              {7.073, 0.6856},
                              -0.0118,
                              0.9156,
                              {6.5510 * 0.9797, 0.6621},
                              {8.9186, 3.6680}};
constexpr Stream kBatch{0.2927,
                        0.6686,
                        1.2,
                        5,
                        7,
                        0.875,
                        {6.57, 0.823},
                        {639.1, 0.0156},
                        -0.003,
                        0.6986,
                        {6.0415 * 1.0519, 0.8531},
                        {6.1271, 5.2740}};
constexpr Stream kTypeless{0.244,
                           0.576,
                           0.8,
                           4.5,
                           7,
                           0.86,
                           {4.2, 0.94},
                           {312, 0.03},
                           -0.0054,
                           0.78,
                           {10.2303 * 1.0225, 0.4871},
                           {8.1737, 3.9631}};

Stream for_nodes(Stream stream, std::uint32_t nodes) {
  const double by = std::log2(static_cast<double>(nodes)) - 7;  // the parameters are those of 2^7 nodes
  stream.high = std::max(stream.high + by, 0.0);
  stream.middle = std::clamp(stream.middle + by, 0.0, stream.high);
  stream.low = std::min(stream.low, stream.middle);
  return stream;
}

// When the jobs of one stream come: intervals in working time, stretched by the daily cycle.
class Arrivals {
 public:
  explicit Arrivals(const Stream& stream) : interval_(stream.interval), day_(lublin_day(stream.day)) {}

  [[nodiscard]] std::int64_t next_s() const { return clock_s_; }

  void advance(LublinChance& chance) {
    double log_interval = 0;
    do log_interval = chance.gamma(interval_);
    while (log_interval > kMostLogInterval);
    points_ += std::exp(log_interval) / kBucketSeconds;
    double elapsed = 0;
    while (points_ > day_[bucket_]) {
      points_ -= day_[bucket_];
      bucket_ = (bucket_ + 1) % day_.size();
      elapsed += kBucketSeconds;
    }
    const double used = points_ / day_[bucket_];  // of the present bucket
    elapsed += kBucketSeconds * (used - used_);
    used_ = used;
    clock_s_ = static_cast<std::int64_t>(static_cast<double>(clock_s_) + elapsed);  // cut to whole seconds
  }

 private:
  static constexpr double kBucketSeconds = 1800;
  GammaShape interval_;
  LublinDay day_;
  double points_ = 0;
  std::size_t bucket_ = 0;
  double used_ = 0;
  std::int64_t clock_s_ = 0;
};

std::uint32_t draw_nodes(LublinChance& chance, const Stream& stream, std::uint32_t most) {
  const double kind = chance.uniform();
  if (kind <= stream.serial) return 1;
  const bool low = chance.uniform() <= stream.first;
  const double from = low ? stream.low : stream.middle;
  const double to = low ? stream.middle : stream.high;
  double log = from + chance.uniform() * (to - from);
  if (kind <= stream.serial + stream.power_of_two) log = std::floor(log + 0.5);
  const double nodes = std::floor(std::pow(2.0, log) + 0.5);
  return static_cast<std::uint32_t>(std::clamp(nodes, 1.0, static_cast<double>(most)));
}

std::int64_t draw_runtime_s(LublinChance& chance, const Stream& stream, std::uint32_t nodes) {
  const double short_share = std::clamp(stream.slope * nodes + stream.offset, 0.0, 1.0);
  double log_runtime = 0;
  do {
    const bool is_short = chance.uniform() <= short_share;
    log_runtime = chance.gamma(is_short ? stream.short_runs : stream.long_runs);
  } while (log_runtime > kMostLogRuntime);
  return static_cast<std::int64_t>(std::exp(log_runtime));
}

}  // namespace

std::vector<LublinJob> lublin(const LublinOptions& options) {
  const Stream batch = for_nodes(options.typeless ? kTypeless : kBatch, options.nodes);
  const Stream interactive = for_nodes(options.typeless ? kTypeless : kInteractive, options.nodes);
  LublinChance chance(options.seed);
  Arrivals batch_arrivals(batch);
  Arrivals interactive_arrivals(interactive);
  batch_arrivals.advance(chance);
  interactive_arrivals.advance(chance);
  std::vector<LublinJob> jobs(options.jobs);
  for (std::uint64_t i = 0; i < options.jobs; ++i) {
    LublinJob& job = jobs[i];
    // A typeless workload has one stream; the other one's first arrival was drawn, and is never used.
    job.batch = !options.typeless && batch_arrivals.next_s() < interactive_arrivals.next_s();
    job.number = i + 1;
    Arrivals& arrivals = job.batch ? batch_arrivals : interactive_arrivals;
    const Stream& stream = job.batch ? batch : interactive;
    job.submit_s = arrivals.next_s();
    arrivals.advance(chance);
    job.nodes = draw_nodes(chance, stream, options.nodes);
    job.runtime_s = draw_runtime_s(chance, stream, job.nodes);
  }
  return jobs;
}

std::string lublin_swf(const std::vector<LublinJob>& jobs, const LublinOptions& options) {
  const std::string count = std::to_string(jobs.size());
  std::string text = "; Version: 2\n; Acknowledge: Uri Lublin, Hebrew University\n";
  text += "; Information: http://www.cs.huji.ac.il/labs/parallel/workload\n";
  text += "; MaxJobs: " + count + "\n; MaxRecords: " + count + "\n";
  text += "; MaxNodes: " + std::to_string(options.nodes) + "\n; MaxRuntime: 162754\n";
  std::array<char, 160> line{};
  for (const LublinJob& job : jobs) {
    const int length = std::snprintf(
        line.data(), line.size(), "%5llu %7lld -1 %7lld %3u -1 -1 -1 -1 -1 1 -1 -1 -1 %d -1 -1 -1\n",
        static_cast<unsigned long long>(job.number), static_cast<long long>(job.submit_s),
        static_cast<long long>(job.runtime_s), job.nodes, job.batch ? 1 : 0);
    text.append(line.data(), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace aliquot
