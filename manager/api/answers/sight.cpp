#include "manager/api/answers/sight.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace aliquot {

using nlohmann::json;

namespace {

// Of a job, its VMs and its events. A text stays a text, so that readers need not know of privacy.
constexpr const char* kHiddenTexts[] = {"name", "account", "note"};
constexpr const char* kHidden[] = {"exit_code", "program", "data", "shares", "cpu", "memory", "checkpoint"};

// An end or a failure is told with the job's own messages.
void keep_turn(json& entry) {
  const std::string turn = entry["turn"];
  if (turn != "ended" && turn != "failed") return;
  entry["text"] = "";
  entry["words"] = turn;
}

// Chronicle entries tell where the job was; of other lines of the log, which have its program and its
// messages, the name remains.
void keep_event(json& event) {
  if (event.contains("turn")) return keep_turn(event);
  json name = json::object();
  for (const char* key : {"event", "action", "decision", "result"})
    if (name.empty() && event.contains(key)) name[key] = event[key];
  event = std::move(name);
}

void keep_queue(json& job) {
  for (const char* key : kHiddenTexts)
    if (job.contains(key)) job[key] = "";
  for (const char* key : kHidden)
    if (job.contains(key)) job[key] = nullptr;
  if (job.contains("vms")) job["vms"] = json::array();
  if (job.contains("history"))
    for (json& entry : job["history"]) keep_turn(entry);
  if (job.value("reason", json()) == "ended") job["text"] = "It has ended.";
  if (const auto event = job.find("event"); event != job.end() && event->is_object()) keep_event(*event);
}

}  // namespace

Sight::Sight(const std::string& privacy, const Peer& peer, Owner owner) : owner_(std::move(owner)) {
  if (peer.is_proved) own_ = peer.uid;
  if (privacy == "open" || (peer.is_proved && peer.is_operator)) return;
  others_ = privacy == "private" ? Part::nothing : Part::queue;
}

Sight::Part Sight::of(std::optional<std::uint32_t> owner) const {
  return owner && own_ == owner ? Part::whole : others_;
}

Sight::Part Sight::part_shown(const json& object) const {
  if (!object.is_object()) return Part::whole;
  const auto job = object.find("job");
  if (job == object.end() || !job->is_number_unsigned()) return Part::whole;
  const auto uid = object.find("uid");
  if (uid != object.end() && uid->is_number_unsigned()) return of(uid->get<std::uint32_t>());
  return of(owner_ ? owner_(JobId{job->get<std::uint64_t>()}) : std::nullopt);
}

void Sight::limit(json& answer) const {
  if (others_ == Part::whole) return;
  if (answer.is_array())
    std::erase_if(answer.get_ref<json::array_t&>(),
                  [this](const json& item) { return part_shown(item) == Part::nothing; });
  const Part shown = part_shown(answer);
  if (shown == Part::nothing) answer = json::object();
  if (shown == Part::queue) keep_queue(answer);
  for (json& inner : answer)
    if (inner.is_structured()) limit(inner);
}

}  // namespace aliquot
