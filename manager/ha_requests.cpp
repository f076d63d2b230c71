#include "manager/ha_requests.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/answers/answer_values.hpp"
#include "manager/api/wire/strict_json.hpp"
#include "manager/ha/etcd_client.hpp"
#include "manager/ha/leader_and_standbys.hpp"

namespace aliquot {
namespace {

using nlohmann::json;
using namespace ha;

constexpr Duration kPatience{700'000};  // for one member

EtcdClient client_of(const HaSettings& ha) {
  return EtcdClient({ha.endpoints, ha.ca, ha.cert, ha.key, kPatience});
}

json member_row(const std::string& endpoint, const Result<MemberStatus>& status) {
  json row{{"endpoint", endpoint},
           {"version", nullptr},
           {"leads", false},
           {"db_bytes", nullptr},
           {"fault", nullptr}};
  if (!status) {
    row["fault"] = status.error().message;
    return row;
  }
  row["version"] = status->version;
  row["db_bytes"] = status->db_bytes;
  row["leads"] = status->leads;
  if (!status->has_leader) row["fault"] = "it knows no leader of etcd: most members do not answer it";
  return row;
}

tl::unexpected<Error> no_other_manager() {
  return fail(ErrorKind::refused,
              "this manager is the only one: its configuration has no `ha` (docs/high-availability.md)");
}

json state_of(const StandbyNotice& standby) {
  if (!standby.hot) return nullptr;
  return *standby.hot ? "hot" : "cold";
}

json manager_rows(const LeaderAndStandbys& view) {
  json rows = json::array();
  if (view.leader)
    rows.push_back({{"name", view.leader->name},
                    {"role", "leader"},
                    {"address", view.leader->address},
                    {"batches_behind", 0},
                    {"state", nullptr}});
  for (const StandbyNotice& standby : view.standbys)
    rows.push_back({{"name", standby.name},
                    {"role", "standby"},
                    {"address", standby.address},
                    {"batches_behind", view.behind(standby)},
                    {"state", state_of(standby)}});
  return rows;
}

}  // namespace

void answer_of_managers(const HaRequests& ha, const HaStatus&, BackgroundTasks& tasks, HaAnswer answer) {
  if (!ha.status) return answer(no_other_manager());
  tasks.run([ask = ha.status, answer = std::move(answer)]() -> std::function<void()> {
    return [answer, status = ask()] { answer(status); };
  });
}

void answer_of_managers(const HaRequests& ha, const HaStepDown&, BackgroundTasks& tasks, HaAnswer answer) {
  if (!ha.step_down) return answer(no_other_manager());
  tasks.run([ha, answer = std::move(answer)]() -> std::function<void()> {
    return [step_down = ha.step_down, answer, may = ha.may_step_down()] {
      answer(may);
      if (may) step_down();
    };
  });
}

std::vector<Result<MemberStatus>> ask_members(const Settings& settings) {
  return client_of(settings.ha).statuses();
}

Result<std::string> ha_status(const Settings& settings) {
  EtcdClient etcd = client_of(settings.ha);
  const auto view = read_managers(etcd, Keys(settings.ha.prefix));
  json answer{{"answered_by", settings.ha.name},
              {"leader", nullptr},
              {"epoch", nullptr},
              {"since", nullptr},
              {"fault", nullptr},
              {"managers", json::array()},
              {"etcd", json::array()}};
  if (!view) answer["fault"] = view.error().message;
  if (view) answer["managers"] = manager_rows(*view);
  if (view && view->leader) {
    answer["leader"] = view->leader->name;
    answer["epoch"] = view->epoch;
    answer["since"] = wire::iso_time(view->leader->since_unix_us);
  }
  const auto statuses = etcd.statuses();
  for (std::size_t i = 0; i < statuses.size(); ++i)
    answer["etcd"].push_back(member_row(settings.ha.endpoints[i], statuses[i]));
  return wire::to_line(answer);
}

Result<std::string> may_step_down(const Settings& settings) {
  EtcdClient etcd = client_of(settings.ha);
  const auto view = read_managers(etcd, Keys(settings.ha.prefix));
  if (!view) return tl::unexpected<Error>(view.error());
  if (view->standbys.empty())
    return fail(ErrorKind::conflict, "no other manager stands by, so none would lead: start one first");
  return wire::to_line({{"name", settings.ha.name}, {"epoch", view->epoch}});
}

}  // namespace aliquot
