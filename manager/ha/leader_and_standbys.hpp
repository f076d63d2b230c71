// Which managers there are, as etcd knows: the leader, and those that stand by.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "manager/ha/presence.hpp"

namespace aliquot::ha {

struct LeaderAndStandbys {
  std::optional<LeaderNotice> leader;  // none: no manager leads
  std::int64_t epoch = 0;
  std::uint64_t newest = 0;  // batch of the log
  std::vector<StandbyNotice> standbys;

  [[nodiscard]] std::uint64_t behind(const StandbyNotice& standby) const {
    return newest - std::min(newest, standby.batch);
  }
};
[[nodiscard]] Result<LeaderAndStandbys> read_managers(Etcd& etcd, const Keys& keys);

}  // namespace aliquot::ha
