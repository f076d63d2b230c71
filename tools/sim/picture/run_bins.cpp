#include "tools/sim/picture/run_bins.hpp"

#include <algorithm>

namespace aliquot {
namespace {

class Binner {
 public:
  Binner(const RunToBin& run, std::size_t bins, std::size_t most_rows);
  RunBins done();

 private:
  struct Part {
    std::size_t bin;
    double seconds;
  };
  void add_span(const Span& span, const Demand& demand);
  const std::vector<Part>& parts_of(const Span& span);
  std::size_t row_of(std::size_t node) const { return node * result_.node_rows / nodes_.size(); }

  const RunToBin& run_;
  std::vector<Node> nodes_;
  std::vector<double> row_cpu_;     // capacity
  std::vector<double> row_memory_;  // capacity
  RunBins result_;
  std::vector<double> placed_time_;
  std::vector<Part> parts_;
  std::unordered_map<std::uint64_t, const WorkloadJob*> by_id_;
};

Binner::Binner(const RunToBin& run, std::size_t bins, std::size_t most_rows)
    : run_(run), nodes_(run.shape.make_nodes()) {
  result_.node_rows = std::min(nodes_.size(), most_rows);
  result_.bins.resize(bins);
  result_.cpu.resize(bins * result_.node_rows);
  result_.memory.resize(bins * result_.node_rows);
  placed_time_.resize(bins);
  row_cpu_.resize(result_.node_rows);
  row_memory_.resize(result_.node_rows);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    row_cpu_[row_of(i)] += static_cast<double>(nodes_[i].capacity.raw);
    row_memory_[row_of(i)] += static_cast<double>(nodes_[i].memory.raw);
  }
  result_.from = kNever;
  for (const JobTimeline& timeline : run.jobs) {
    result_.from = std::min(result_.from, timeline.submitted());
    result_.to = std::max(result_.to, timeline.ended());
  }
  for (const WorkloadJob& job : run.workload.jobs) by_id_.emplace(job.id.raw, &job);
}

// The bins that the span reaches into, and how long it is in each.
const std::vector<Binner::Part>& Binner::parts_of(const Span& span) {
  parts_.clear();
  const double width = result_.width_s();
  const double from = to_seconds(span.from - result_.from);
  const double to = to_seconds(span.to - result_.from);
  auto bin = std::min(result_.bins.size() - 1, static_cast<std::size_t>(from / width));
  for (; bin < result_.bins.size(); ++bin) {
    const double begin = std::max(from, static_cast<double>(bin) * width);
    const double end = std::min(to, static_cast<double>(bin + 1) * width);
    if (end > begin) parts_.push_back({bin, end - begin});
    if (end >= to) break;
  }
  return parts_;
}

void Binner::add_span(const Span& span, const Demand& demand) {
  const double yield = static_cast<double>(span.yield.raw) / kMillion;
  for (const Part& part : parts_of(span)) {
    TimeBin& bin = result_.bins[part.bin];
    bin.jobs[static_cast<std::size_t>(span.state)] += part.seconds;
    if (!span.placed()) continue;
    bin.yield_lowest = bin.any_placed ? std::min(bin.yield_lowest, yield) : yield;
    bin.yield_mean = (bin.any_placed ? bin.yield_mean : 0) + yield * part.seconds;
    bin.any_placed = true;
    placed_time_[part.bin] += part.seconds;
    for (const Share& share : run_.timeline.placement(span)) {
      const std::size_t row = row_of(share.node.raw);
      const std::size_t at = row * result_.bins.size() + part.bin;
      result_.cpu[at] += share.units * static_cast<double>(demand.need.raw) * yield * part.seconds;
      result_.memory[at] += share.units * static_cast<double>(demand.memory.raw) * part.seconds;
    }
  }
}

RunBins Binner::done() {
  if (run_.jobs.empty()) return {};
  for (const JobTimeline& timeline : run_.jobs) {
    const auto job = by_id_.find(timeline.job.raw);
    if (job == by_id_.end()) continue;
    for (const Span& span : timeline.spans) add_span(span, job->second->submission.demand);
  }
  const double width = result_.width_s();
  const std::size_t bins = result_.bins.size();
  for (std::size_t b = 0; b < bins; ++b) {
    TimeBin& bin = result_.bins[b];
    for (double& jobs : bin.jobs) jobs /= width;
    if (bin.any_placed) bin.yield_mean /= placed_time_[b];
    for (std::size_t row = 0; row < result_.node_rows; ++row) {
      double& cpu = result_.cpu[row * bins + b];
      double& memory = result_.memory[row * bins + b];
      cpu = std::min(1.0, cpu / (row_cpu_[row] * width));
      memory = std::min(1.0, memory / (row_memory_[row] * width));
    }
  }
  return std::move(result_);
}

}  // namespace

RunBins bin_run(const RunToBin& run, std::size_t bins, std::size_t most_rows) {
  return Binner(run, bins, most_rows).done();
}

}  // namespace aliquot
