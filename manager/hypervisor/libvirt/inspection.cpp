#include <algorithm>
#include <map>
#include <string>

#include "manager/hypervisor/libvirt/backend.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/libvirt/sightings.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

// Lookups in one call: few enough that the call meets its deadline on a full node.
constexpr std::size_t kBatch = 64;

class Search;
using Searches = std::vector<std::shared_ptr<Search>>;

void ask(const std::shared_ptr<Backend>& backend, NodeId id, const Searches& searches);

// One query under way: first of the nodes where the VM should be, then, if it is on none of them and should
// exist, of all others.
class Search : public std::enable_shared_from_this<Search> {
 public:
  Search(std::shared_ptr<Backend> backend, VmQuery query)
      : backend_(std::move(backend)), query_(std::move(query)), open_(query_.nodes.size()) {
    identity_ = {backend_->common->cluster, query_.job, query_.task, query_.incarnation,
                 backend_->common->epoch};
    uuid_ = vm_uuid(identity_);
    mark_ = backend_->registry.begin_search(uuid_);
  }

  [[nodiscard]] const Uuid& uuid() const { return uuid_; }

  void answer(const Sighting& sighting) {
    {
      const std::lock_guard lock(mutex_);
      sightings_.push_back(sighting);
      if (--open_ > 0) return;
    }
    conclude();
  }

  void conclude() {
    Inspected out;
    out.job = query_.job;
    out.task = query_.task;
    out.incarnation = query_.incarnation;
    const std::vector<Sighting> found = found_in(sightings_);
    for (const Sighting& each : found) {
      out.fact = *each.fact;
      out.node = each.node;
      note_found(each.node, *each.fact);
    }
    if (found.empty() && widen()) return;
    if (found.size() > 1) out.fact = VmFact::unknown;
    if (found.empty()) look_into_spool(out);
    // After a restart an event of a VM that has not been found yet cannot be interpreted. It may have been
    // the end of what was just seen to run, or its arrival where it was not seen yet.
    const bool quiet = backend_->registry.end_search(uuid_, mark_);
    if (!quiet && out.fact != VmFact::ended) out.fact = VmFact::unknown;
    backend_->events.post(out);
  }

 private:
  [[nodiscard]] bool is_likely(NodeId node) const {
    return std::ranges::find(query_.nodes, node) != query_.nodes.end();
  }

  void note_found(NodeId node, VmFact fact) {
    const bool was_known = !backend_->registry.found(uuid_, identity_, node, fact);
    if (was_known || is_likely(node)) return;
    const std::string what = vm_name(identity_) + " was found here: another program has moved it";
    backend_->events.post(ForeignMove{query_.job, query_.task, node, what, ForeignAct::moved_here});
  }

  // Asks the other nodes; false if that is over, or is not called for.
  bool widen() {
    if (widened_ || !query_.exists) return false;
    widened_ = true;
    const auto status =
        read_exit_status(backend_->common->spool.status(query_.job, query_.task, query_.incarnation));
    if (!status || status->has_value()) return false;
    std::vector<NodeId> others;
    for (const auto& node : backend_->nodes.workers())
      if (!is_likely(node->id()) && !backend_->is_off(node->id())) others.push_back(node->id());
    if (others.empty()) return false;
    open_ = others.size();  // no answer is on its way
    for (const NodeId node : others) ask(backend_, node, {shared_from_this()});
    return true;
  }

  void look_into_spool(Inspected& out) const {
    const Spool& spool = backend_->common->spool;
    const auto said = read_guest_end(spool.status(query_.job, query_.task, query_.incarnation));
    const auto saved = find_image(spool, identity_);
    if (!said || !saved) return;  // the storage does not answer: the fact stays unknown
    if (said->status) {
      out.fact = VmFact::ended;
      out.exit_code = said->status;
      out.oom_kills = said->oom_kills;
    } else if (!is_nowhere(query_, sightings_)) {
      out.fact = VmFact::unknown;  // the VM may run on a silent node, beside an older image
    } else if (*saved) {
      out.fact = VmFact::saved;
    } else {
      out.fact = VmFact::absent;
      give_up_kept(spool, identity_);
    }
  }

  const std::shared_ptr<Backend> backend_;
  const VmQuery query_;
  VmIdentity identity_;
  Uuid uuid_{};
  std::uint64_t mark_ = 0;  // of the registry
  std::mutex mutex_;
  std::size_t open_;
  bool widened_ = false;  // the other nodes have been asked
  std::vector<Sighting> sightings_;
};

// A save or migration that was started before a restart of the manager continues. Until it has ended, the
// state of the VM is unknown and neither the VM nor its files may be touched. A call that is still under
// way may create the VM after it was looked for in vain; so that is asked first.
std::optional<VmFact> look_up(const UnreturnedCalls& calls, Connection& node, const Uuid& uuid) {
  if (calls.any_for(uuid)) return std::nullopt;
  const auto domain = find_domain(node, uuid);
  if (domain && control_of(*domain).busy) return std::nullopt;
  const auto fact = fact_of(node, uuid);
  return fact ? std::optional(*fact) : std::nullopt;
}

void ask(const std::shared_ptr<Backend>& backend, NodeId id, const Searches& searches) {
  using Facts = std::vector<std::optional<VmFact>>;
  const auto worker = backend->node(id);
  if (worker == nullptr) {  // removed meanwhile
    for (const auto& search : searches) search->answer({id, std::nullopt});
    return;
  }
  worker->call<Facts>(
      QueueName::watch, {{}, {}, "inspect " + std::to_string(searches.size()) + " VMs", "inspect"},
      [searches, calls = backend->calls](Connection& node) -> Result<Facts> {
        Facts facts;
        for (const auto& search : searches) facts.push_back(look_up(*calls, node, search->uuid()));
        return facts;
      },
      [searches, id](Result<Facts> facts) {
        for (std::size_t i = 0; i < searches.size(); ++i) {
          searches[i]->answer({id, facts ? (*facts)[i] : std::nullopt});
        }
      });
}

}  // namespace

void inspect_vms(const std::shared_ptr<Backend>& backend, std::vector<VmQuery> queries) {
  std::map<NodeId, Searches> by_node;
  Searches nowhere;
  for (VmQuery& query : queries) {
    auto& nodes = query.nodes;
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::erase_if(nodes, [&](NodeId id) { return backend->node(id) == nullptr; });
    const std::vector<NodeId> places = nodes;
    const auto search = std::make_shared<Search>(backend, std::move(query));
    for (const NodeId place : places) by_node[place].push_back(search);
    if (places.empty()) nowhere.push_back(search);
  }
  for (const auto& search : nowhere) search->conclude();
  for (const auto& [id, searches] : by_node) {
    for (std::size_t at = 0; at < searches.size(); at += kBatch) {
      const auto end = std::min(searches.size(), at + kBatch);
      ask(backend, id,
          Searches(searches.begin() + static_cast<std::ptrdiff_t>(at),
                   searches.begin() + static_cast<std::ptrdiff_t>(end)));
    }
  }
}

}  // namespace aliquot
