#include "manager/ha/leader_and_standbys.hpp"

#include <utility>

namespace aliquot::ha {

Result<LeaderAndStandbys> read_managers(Etcd& etcd, const Keys& keys) {
  const auto answer =
      etcd.transact({{},
                     {Get{keys.leader()}, Get{.key = keys.standby(""), .end = keys.end_of_standbys()},
                      Get{.key = keys.batch(0),
                          .end = keys.end_of_log(),
                          .limit = 1,
                          .newest_first = true,
                          .keys_only = true}}});
  if (!answer) return tl::unexpected<Error>(answer.error());
  if (answer->found.size() != 3)
    return fail(ErrorKind::unsupported, "etcd answers only a part of a transaction");
  LeaderAndStandbys view;
  if (!answer->found[0].empty()) {
    view.leader = decode_leader(answer->found[0].front().value);
    view.epoch = answer->found[0].front().created;
  }
  for (const KeyValue& row : answer->found[1]) {
    StandbyNotice standby = decode_standby(row.value);
    // That it leads now is known before its old key has ended.
    const bool leads = view.leader && view.leader->name == standby.name;
    if (!standby.name.empty() && !leads) view.standbys.push_back(std::move(standby));
  }
  if (!answer->found[2].empty()) view.newest = Keys::number_of(answer->found[2].front().key);
  return view;
}

}  // namespace aliquot::ha
