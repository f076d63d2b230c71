#include "manager/orphan_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "manager/api/wire/strict_json.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {

using nlohmann::json;
using namespace wire;

namespace {

json row(const ClusterView& view, const OrphanVm& vm, const AnswerClock& clock) {
  const VmIdentity& identity = vm.domain.identity;
  const std::int64_t now_s = clock.calendar.unix_us(clock.now) / kMillion;
  return {
      {"node", node_name(view, vm.node)},
      {"name", vm.domain.name},
      {"uuid", to_string(vm.domain.uuid)},
      {"job", identity.job.raw},
      {"task", identity.task},
      {"incarnation", identity.incarnation},
      {"epoch", identity.epoch},
      {"state", std::string(word(vm.domain.fact))},
      {"age_s", identity.created > 0 ? json(std::max<std::int64_t>(0, now_s - identity.created)) : json()},
      {"seen_at", iso_time(vm.seen, clock)},
      {"memory_bytes", vm.domain.memory.raw},
      {"because", vm.because}};
}

}  // namespace

std::string orphans_answer(const ClusterView& view, const std::vector<OrphanVm>& orphans,
                           const AnswerClock& clock) {
  json rows = json::array();
  for (const OrphanVm& vm : orphans) rows.push_back(row(view, vm, clock));
  return to_line({{"orphans", std::move(rows)}});
}

std::string reclaimed_answer(const ClusterView& view, const std::vector<Reclaimed>& done,
                             const AnswerClock& clock) {
  json rows = json::array();
  for (const Reclaimed& each : done) {
    json one = row(view, each.vm, clock);
    one["error"] = each.error ? json(each.error->message) : json();
    rows.push_back(std::move(one));
  }
  const auto destroyed = std::ranges::count_if(done, [](const Reclaimed& each) { return !each.error; });
  return to_line({{"orphans", std::move(rows)}, {"destroyed", destroyed}});
}

}  // namespace aliquot
