#include "monitor/ha_gauges.hpp"

#include <cstddef>
#include <sstream>

namespace aliquot {
namespace {

enum Gauge : std::size_t {
  standby,
  leader_known,
  following,
  epoch,
  batches_behind,
  standby_hot,
  lease,
  lease_left,
  member_up,
  member_size,
  member_in_use,
};
constexpr HaGaugeRow kRows[] = {
    {"aliquot_ha_standby", "", "", "1: this manager stands by, and has no other metrics; 0: it leads."},
    {"aliquot_ha_leader_known", "", "", "1: a manager leads, as far as this one knows."},
    {"aliquot_ha_following", "", "",
     "0: the standby cannot follow the log, see its own log for the reason."},
    {"aliquot_ha_epoch", "", "", "Epoch of the manager that leads: changes with each takeover."},
    {"aliquot_ha_batches_behind", "", "", "Batches of the log that the standby's store does not have yet."},
    {"aliquot_ha_standby_hot", "", "",
     "1: a takeover by this standby reads and replays nothing; 0: it reads its store, as after a restart."},
    {"aliquot_ha_lease_seconds", "seconds", "", "Time for which a renewal grants the leader its lease."},
    {"aliquot_ha_lease_left_seconds", "seconds", "",
     "Time for which the leader surely leads without a further renewal; it renews three times in a lease."},
    {"aliquot_ha_etcd_member_up", "", "endpoint", "1: this member of etcd answers the leader."},
    {"aliquot_ha_etcd_db_bytes", "bytes", "endpoint", "Size of the database of this member of etcd."},
    {"aliquot_ha_etcd_db_in_use_bytes", "bytes", "endpoint",
     "What of it is in use: the rest is used again, or given back when the member is defragmented."},
};

class Text {
 public:
  template <class Value>
  void add(Gauge gauge, Value value, const std::string& endpoint = {}) {
    const HaGaugeRow& row = kRows[gauge];
    if (gauge != last_)
      text_ << "# HELP " << row.name << ' ' << row.help << "\n# TYPE " << row.name << " gauge\n";
    last_ = gauge;
    text_ << row.name;
    if (!endpoint.empty()) text_ << '{' << row.label << "=\"" << escaped(endpoint) << "\"}";
    text_ << ' ' << value << '\n';
  }
  [[nodiscard]] std::string take() { return std::move(text_).str(); }

 private:
  static std::string escaped(const std::string& value) {
    std::string text;
    for (const char c : value) {
      if (c == '\\' || c == '"') text += '\\';
      text += c;
    }
    return text;
  }

  std::ostringstream text_;
  std::optional<Gauge> last_;
};

}  // namespace

std::string text_of(const HaGauges& gauges) {
  Text text;
  text.add(standby, gauges.is_standby ? 1 : 0);
  text.add(leader_known, gauges.leader_known ? 1 : 0);
  text.add(following, gauges.follows ? 1 : 0);
  text.add(epoch, gauges.epoch);
  text.add(batches_behind, gauges.batches_behind);
  if (gauges.is_standby) text.add(standby_hot, gauges.is_hot ? 1 : 0);
  if (gauges.lease) {
    text.add(lease, gauges.lease->seconds);
    text.add(lease_left, gauges.lease->left);
  }
  for (const HaGauges::Member& member : gauges.etcd)
    text.add(member_up, member.db_bytes ? 1 : 0, member.endpoint);
  for (const HaGauges::Member& member : gauges.etcd)
    if (member.db_bytes) text.add(member_size, *member.db_bytes, member.endpoint);
  for (const HaGauges::Member& member : gauges.etcd)
    if (member.db_bytes) text.add(member_in_use, member.db_bytes_in_use, member.endpoint);
  return text.take();
}

std::span<const HaGaugeRow> ha_gauge_table() { return kRows; }

}  // namespace aliquot
