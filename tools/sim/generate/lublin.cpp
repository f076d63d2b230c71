#include "tools/sim/generate/lublin.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/sim/generate/lublin_chance.hpp"
#include "tools/sim/generate/lublin_day.hpp"

namespace aliquot {
namespace {

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
