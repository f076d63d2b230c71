// Why jobs wait, as it is counted. To say it of one job a policy looks at the whole cluster, so on a large
// one only some jobs are asked about at a time: first those of which nothing is known, then in turns. The
// others count with what was said last.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

#include "policies/model/plan.hpp"

namespace aliquot {

class WaitReasons {
 public:
  // At most so many are asked about at a time, whatever the size of the cluster.
  static constexpr std::size_t kMostAsked = 256;

  // `waiting`: in increasing id. `size`: of the cluster, jobs and nodes.
  void look_at(const std::vector<JobId>& waiting, std::size_t size,
               const std::function<Reason(JobId)>& reason_of);
  // Of those that wait; what is not known of any of them is left out.
  [[nodiscard]] const std::map<JobId, Reason>& said() const { return said_; }

 private:
  std::map<JobId, Reason> said_;
  JobId last_;  // whose turn was the last
};

}  // namespace aliquot
