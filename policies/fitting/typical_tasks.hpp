// What the tasks of this cluster are like: a sample of the jobs in the view, merged by their shapes.
//
// Nobody knows the jobs to come; the best guess is that they are like those that are here. The sample is
// the earliest 2^k jobs (at most kMostSampled), so that it changes seldom while jobs arrive. A pure
// function of the view.
#pragma once

#include <vector>

#include "policies/model/view.hpp"

namespace aliquot {

inline constexpr std::size_t kMostSampled = 512;

struct TypicalTasks {
  struct Shape {
    Demand demand;  // tasks == 1: what one node gets at least
    std::int64_t count = 0;
  };
  std::vector<Shape> shapes;
  std::vector<std::uint32_t> order;  // the shapes of the sampled jobs, as the jobs came
  std::int64_t jobs = 0;

  // Reads the view again; true: the sample is another one.
  bool follow(const ClusterView& view);

 private:
  std::vector<Demand> sampled_;
};

}  // namespace aliquot
