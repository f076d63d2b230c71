#include "tools/sim/bound/overload.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace aliquot {
namespace {

using Amount = std::int64_t;
constexpr Amount kUnlimited = std::numeric_limits<Amount>::max();
constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// Dinic's algorithm on the graph source -> jobs -> intervals -> sink.
class Network {
 public:
  Network(const BoundInstance& instance, const JobWeights& weights, Stretch stretch) {
    cut_time(instance, weights, stretch);
    connect(instance, weights);
  }

  std::optional<TimeSet> overloaded() {
    fill();
    while (unserved() && find_levels()) {
      next_.assign(jobs_.size(), 0);
      back_.assign(room_.size(), 0);
      for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
        if (jobs_[j].left > 0) jobs_[j].left -= from_job(j, jobs_[j].left);
      }
    }
    if (!unserved()) return std::nullopt;
    std::vector<Segment> full;  // of the minimum cut: what could still be reached
    for (std::size_t i = 0; i < room_.size(); ++i)
      if (interval_level_[i] != kUnseen) full.push_back({times_[i], times_[i + 1]});
    return TimeSet(full);
  }

 private:
  struct JobNode {
    Instant release;
    Instant end;
    double rate = 0;  // of flow per microsecond of an interval
    double supply = 0;
    Amount left = 0;          // not yet sent
    std::uint32_t first = 0;  // its intervals: [first, last)
    std::uint32_t last = 0;
    std::size_t arcs = 0;  // of its first interval
  };
  struct Arc {  // from a job into one interval
    Amount flow = 0;
    Amount most = 0;
  };
  struct Back {  // from an interval to a job that may have sent something into it
    std::uint32_t job = 0;
    std::size_t arc = 0;
  };

  void cut_time(const BoundInstance& instance, const JobWeights& weights, Stretch stretch) {
    for (std::size_t j = 0; j < instance.jobs.size(); ++j) {
      const BoundJob& job = instance.jobs[j];
      if (weights.each[j] == 0) continue;
      const double weight = static_cast<double>(weights.each[j]);
      JobNode node;
      node.release = job.release;
      node.end = deadline(job, stretch);
      node.rate = weight * static_cast<double>(job.fastest.raw) / 1e6;
      node.supply = weight * static_cast<double>(job.work.raw);
      jobs_.push_back(node);
      times_.push_back(node.release);
      times_.push_back(node.end);
    }
    std::ranges::sort(times_);
    times_.erase(std::ranges::unique(times_).begin(), times_.end());
    std::ranges::stable_sort(jobs_, {}, &JobNode::end);
  }

  void connect(const BoundInstance& /*instance*/, const JobWeights& weights) {
    const std::size_t intervals = times_.empty() ? 0 : times_.size() - 1;
    const double capacity = static_cast<double>(weights.capacity);
    double total = 1;
    for (const JobNode& job : jobs_) total += job.supply;
    const double scale = std::ldexp(1.0, 58) / total;
    for (std::size_t i = 0; i < intervals; ++i) room_.push_back(amount(capacity * length(i) * scale));
    std::size_t arcs = 0;
    for (JobNode& job : jobs_) {
      job.left = amount(job.supply * scale);
      job.first = index_of(job.release);
      job.last = index_of(job.end);
      job.arcs = arcs;
      arcs += job.last - job.first;
    }
    arcs_.resize(arcs);
    backs_.resize(intervals);
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
      const JobNode& job = jobs_[j];
      for (std::uint32_t i = job.first; i < job.last; ++i) {
        const std::size_t arc = job.arcs + (i - job.first);
        arcs_[arc].most = amount(job.rate * length(i) * scale);
        backs_[i].push_back({j, arc});  // by increasing end of the job
      }
    }
  }

  static Amount amount(double value) { return static_cast<Amount>(std::min(value, 4e18)); }
  [[nodiscard]] double length(std::size_t i) const {
    return static_cast<double>((times_[i + 1] - times_[i]).raw);
  }
  [[nodiscard]] std::uint32_t index_of(Instant t) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(times_, t) - times_.begin());
  }

  // A good flow to begin with: in each interval in turn, those whose deadline is next are served first.
  void fill() {
    for (std::size_t i = 0; i < room_.size(); ++i) {
      for (const Back& back : backs_[i]) {
        if (room_[i] == 0) break;
        const Amount sent = std::min({room_[i], jobs_[back.job].left, arcs_[back.arc].most});
        arcs_[back.arc].flow = sent;
        jobs_[back.job].left -= sent;
        room_[i] -= sent;
      }
    }
  }

  [[nodiscard]] bool unserved() const {
    return std::ranges::any_of(jobs_, [](const JobNode& job) { return job.left > 0; });
  }

  // Distances from the source in the residual graph; is an interval with room among what can be reached?
  bool find_levels() {
    job_level_.assign(jobs_.size(), kUnseen);
    interval_level_.assign(room_.size(), kUnseen);
    std::vector<std::uint32_t> jobs;
    std::vector<std::uint32_t> intervals;
    for (std::uint32_t j = 0; j < jobs_.size(); ++j)
      if (jobs_[j].left > 0) jobs.push_back(j), job_level_[j] = 0;
    bool open = false;
    for (std::uint32_t level = 1; !jobs.empty(); level += 2) {
      intervals.clear();
      for (const std::uint32_t j : jobs) {
        const JobNode& job = jobs_[j];
        for (std::uint32_t i = job.first; i < job.last; ++i) {
          const Arc& arc = arcs_[job.arcs + (i - job.first)];
          if (interval_level_[i] != kUnseen || arc.flow >= arc.most) continue;
          interval_level_[i] = level;
          intervals.push_back(i);
          open = open || room_[i] > 0;
        }
      }
      if (open) return true;
      jobs.clear();
      for (const std::uint32_t i : intervals) {
        for (const Back& back : backs_[i]) {
          if (arcs_[back.arc].flow == 0 || job_level_[back.job] != kUnseen) continue;
          job_level_[back.job] = level + 1;
          jobs.push_back(back.job);
        }
      }
    }
    return false;
  }

  // Sends at most `most` from this job along shortest paths; how much went.
  Amount from_job(std::uint32_t j, Amount most) {
    const JobNode& job = jobs_[j];
    Amount sent = 0;
    for (std::uint32_t& step = next_[j]; step < job.last - job.first; ++step) {
      const std::uint32_t i = job.first + step;
      Arc& arc = arcs_[job.arcs + step];
      if (interval_level_[i] != job_level_[j] + 1 || arc.flow >= arc.most) continue;
      const Amount went = from_interval(i, std::min(most - sent, arc.most - arc.flow));
      arc.flow += went;
      sent += went;
      if (sent == most) return sent;
    }
    return sent;
  }

  Amount from_interval(std::uint32_t i, Amount most) {
    const Amount here = std::min(most, room_[i]);
    room_[i] -= here;
    Amount sent = here;
    for (std::uint32_t& step = back_[i]; sent < most && step < backs_[i].size(); ++step) {
      const Back& back = backs_[i][step];
      Arc& arc = arcs_[back.arc];
      if (job_level_[back.job] != interval_level_[i] + 1 || arc.flow == 0) continue;
      const Amount went = from_job(back.job, std::min(most - sent, arc.flow));
      arc.flow -= went;
      sent += went;
      if (sent == most) break;
    }
    return sent;
  }

  std::vector<JobNode> jobs_;
  std::vector<Instant> times_;
  std::vector<Amount> room_;  // of each interval
  std::vector<Arc> arcs_;
  std::vector<std::vector<Back>> backs_;
  std::vector<std::uint32_t> job_level_;
  std::vector<std::uint32_t> interval_level_;
  std::vector<std::uint32_t> next_;  // where each job's search goes on
  std::vector<std::uint32_t> back_;
};

}  // namespace

std::optional<TimeSet> overloaded_time(const BoundInstance& instance, const JobWeights& weights,
                                       Stretch stretch) {
  return Network(instance, weights, stretch).overloaded();
}

}  // namespace aliquot
