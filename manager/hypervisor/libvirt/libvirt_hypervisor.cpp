#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libvirt/backend.hpp"
#include "manager/hypervisor/libvirt/balloon.hpp"
#include "manager/hypervisor/libvirt/cap_watch.hpp"
#include "manager/hypervisor/libvirt/node_devices.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/libvirt/terminal_stream.hpp"
#include "manager/hypervisor/libvirt/vm_operations.hpp"
#include "manager/hypervisor/libvirt/vm_statistics.hpp"

namespace aliquot {
namespace {

TaskDomainSettings common_settings(const LibvirtSetup& setup) {
  const auto space = setup.space ? setup.space : SpoolSpace::make(setup.spool_dir, Memory{});
  return {setup.cluster,
          setup.epoch,
          Spool(setup.spool_dir, setup.saves),
          GuestFiles(setup.hypervisor.guest_dir),
          setup.hypervisor.cap_period,
          LiveLimit(setup.max_output),
          space,
          setup.save_space ? setup.save_space : space,
          setup.calendar,
          setup.hypervisor.migration_bandwidth};
}

// Makes a call and blocks until its answer, at most for `patience`.
template <class T>
Result<T> wait_for(Backend& backend, NodeId id, QueueName queue, Duration patience, const CallKey& key,
                   std::function<Result<T>(Connection&)> work) {
  const auto worker = backend.node(id);
  if (worker == nullptr) {
    return fail(ErrorKind::invalid_argument, "there is no node " + std::to_string(id.raw));
  }
  auto promise = std::make_shared<std::promise<Result<T>>>();
  auto answer = promise->get_future();
  worker->call<T>(queue, key, std::move(work),
                  [promise](Result<T> result) { promise->set_value(std::move(result)); });
  if (answer.wait_for(std::chrono::microseconds(patience.raw)) != std::future_status::ready) {
    return fail(ErrorKind::timeout, "node " + worker->settings().name + ": no answer in time to: " +
                                        key.what + "; ask again, or look after libvirtd there");
  }
  return answer.get();
}

// libvirt packs a version into one number: 1,000,000 * major + 1,000 * minor + release.
std::string version_text(unsigned long packed) {
  return std::to_string(packed / 1'000'000) + "." + std::to_string(packed / 1'000 % 1'000) + "." +
         std::to_string(packed % 1'000);
}

}  // namespace

std::string libvirt_version() {
  unsigned long library = 0;
  return virGetVersion(&library, nullptr, nullptr) == 0 ? version_text(library) : "unknown";
}

namespace {

// Without the acceleration, which only a probe can tell.
Result<NodeFacts> read_node_facts(const Connection& connection) {
  virNodeInfo node{};
  if (virNodeGetInfo(connection.get(), &node) < 0) {
    return tl::unexpected(libvirt_error(connection, "cannot tell its cores and memory"));
  }
  NodeFacts facts;
  facts.cores = node.cpus;
  facts.memory = {static_cast<std::int64_t>(node.memory) * 1024};
  unsigned long libvirt = 0;
  unsigned long hypervisor = 0;
  const char* kind = virConnectGetType(connection.get());
  if (virConnectGetVersion(connection.get(), &hypervisor) == 0 && hypervisor > 0) {
    facts.hypervisor = std::string(kind != nullptr ? kind : "hypervisor") + " " + version_text(hypervisor);
  }
  if (virConnectGetLibVersion(connection.get(), &libvirt) == 0) {
    facts.hypervisor += (facts.hypervisor.empty() ? "libvirt " : ", libvirt ") + version_text(libvirt);
  }
  auto devices = list_node_devices(connection);
  if (devices)
    facts.devices = std::move(*devices);
  else
    facts.devices_unknown = devices.error().message;
  if (auto cells = read_cells(connection)) facts.cells = std::move(*cells);
  if (auto loads = read_loads(connection)) facts.cell_loads = std::move(*loads);
  return facts;
}

NodeWorker::Listener listener_of(NodeId id, const std::shared_ptr<Backend>& shared,
                                 const std::shared_ptr<Hosts>& hosts,
                                 const std::shared_ptr<CallQueue>& event_queue,
                                 const std::function<void(NodeId, NodeSurvey)>& on_survey) {
  // Listeners hold weak pointers, because the backend owns the nodes that own the listeners.
  const std::weak_ptr<Backend> weak = shared;
  NodeWorker::Listener listener;
  listener.on_state = [weak, id](NodeState state, const std::string& why) {
    if (const auto backend = weak.lock()) backend->events.post(NodeChanged{id, state, why});
  };
  listener.on_event = [weak, id, event_queue](const Uuid& vm, NodeEvent event) {
    if (const auto backend = weak.lock()) queue_event(*event_queue, backend, id, vm, event);
  };
  listener.fence = shared->fence;
  listener.admit = [id, hosts](const std::string& host) { return hosts->admit(id, host); };
  listener.survey = [common = shared->common](Connection& at) { return survey_node(at, common->cluster); };
  listener.on_survey = [weak, id, on_survey](NodeSurvey survey) {
    const auto backend = weak.lock();
    if (!backend) return;
    look_for_departed(backend, id);
    if (on_survey) backend->events.while_open([&] { on_survey(id, std::move(survey)); });
  };
  listener.on_call = [weak](const CallReport& report) {
    const auto backend = weak.lock();
    if (!backend || !backend->observer.call) return;
    backend->events.while_open([&] { backend->observer.call(report); });
  };
  return listener;
}

// Nothing is said after the sink has been closed.
Hosts::Listener while_open(const std::shared_ptr<Backend>& shared, Hosts::Listener listener) {
  const std::weak_ptr<Backend> weak = shared;
  const auto guarded = [weak](const std::function<void()>& say) {
    if (const auto backend = weak.lock()) backend->events.while_open(say);
  };
  return {[guarded, say = std::move(listener.learned)](NodeId node, const std::string& host) {
            if (say) guarded([&] { say(node, host); });
          },
          [guarded, say = std::move(listener.same_host)](NodeId node, NodeId same) {
            if (say) guarded([&] { say(node, same); });
          }};
}

// Stopping waits up to a second for calls that may never return; those that do return complete their
// actions.
void retire(NodeSet::Slot slot) {
  if (slot.acceleration) slot.acceleration->close();
  if (slot.worker) std::thread([worker = std::move(slot.worker)] { worker->stop(); }).detach();
}

// Looks again until none is left: one may have been on its way.
Result<std::uint32_t> destroy_all(Backend& backend, NodeId node, Connection& at) {
  std::uint32_t destroyed = 0;
  for (;;) {
    const auto found = cluster_domains(at, backend.common->cluster);
    if (!found) return tl::unexpected(found.error());
    if (found->empty()) return destroyed;
    for (const FoundDomain& each : *found) {
      // What libvirt tells of its end is no news.
      backend.registry.begin(each.uuid, each.identity,
                             Destroy{{{}, each.identity.job, {each.identity.task, 1}}, node});
      if (auto gone = destroy_vm(at, each.uuid); !gone) return tl::unexpected(gone.error());
      ++destroyed;
    }
  }
}

}  // namespace

std::vector<VmSample> Backend::samples(NodeId node, const std::vector<DomainReading>& readings) const {
  std::vector<VmSample> samples;
  for (const DomainReading& each : readings) {
    const auto vm = registry.identity(each.uuid);
    if (!vm) continue;
    const std::int64_t run = std::int64_t{node.raw} << 32 | each.domain_id;
    samples.push_back({vm->job, vm->task, vm->incarnation, run, node, each.counters.vcpus,
                       each.counters.cpu, each.counters.waited, each.counters.throttled, each.memory});
  }
  return samples;
}

LibvirtHypervisor::LibvirtHypervisor(LibvirtSetup setup, Sink sink)
    : settings_(setup.hypervisor),
      on_survey_(std::move(setup.on_survey)),
      backend_(std::make_shared<Backend>(common_settings(setup), std::move(sink), setup.observer,
                                         setup.calls ? setup.calls : UnreturnedCalls::make())),
      hosts_(std::make_shared<Hosts>(while_open(backend_, std::move(setup.hosts_listener)))),
      watchdog_(std::make_shared<Watchdog>()),
      event_queue_(CallQueue::start("events", 1, watchdog_, [](const QueuedCall&) {})) {
  backend_->fence = std::move(setup.fence);
  setup.hosts.resize(setup.nodes.size());
  // All are known before the first one answers.
  for (std::uint32_t i = 0; i < setup.nodes.size(); ++i)
    if (!setup.nodes[i].uri.empty()) hosts_->set({i}, setup.nodes[i].name, setup.hosts[i]);
  for (std::uint32_t i = 0; i < setup.nodes.size(); ++i) connect({i}, setup.nodes[i]);
}

void LibvirtHypervisor::connect(NodeId id, const NodeSettings& node) {
  // libvirt takes an empty URI for its default: some hypervisor, but not this node.
  if (node.uri.empty()) return;
  const auto acceleration = std::make_shared<AccelerationChoice>(settings_.acceleration, backend_->common);
  auto worker = NodeWorker::start(id, node, settings_, watchdog_,
                                  listener_of(id, backend_, hosts_, event_queue_, on_survey_));
  const auto cells = std::make_shared<CellChoice>(numa_binding(settings_.numa));
  retire(backend_->nodes.set(id, {std::move(worker), acceleration, cells}));
}

void LibvirtHypervisor::set_node(NodeId id, const NodeSettings& node, const std::string& host) {
  hosts_->set(id, node.name, host);
  const auto worker = backend_->node(id);
  if (worker && worker->is_reached_by(node)) return;
  if (worker)
    backend_->events.post(
        NodeChanged{id, NodeState::suspect, "node " + node.name + ": it is connected anew"});
  connect(id, node);
}

void LibvirtHypervisor::remove_node(NodeId id) {
  hosts_->remove(id);
  retire(backend_->nodes.set(id, {}));
}

LibvirtHypervisor::~LibvirtHypervisor() {
  backend_->events.close();
  {
    // In parallel: each waits up to a second for calls that may never return.
    std::vector<std::jthread> stopping;
    for (const NodeSet::Slot& node : backend_->nodes.connected()) {
      node.acceleration->close();
      stopping.emplace_back([worker = node.worker] { worker->stop(); });
    }
  }
  event_queue_->stop();
  watchdog_->stop();
}

void LibvirtHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> spec) {
  dispatch(backend_, action, spec);
}

void LibvirtHypervisor::inspect(std::vector<VmQuery> queries) { inspect_vms(backend_, std::move(queries)); }

void LibvirtHypervisor::sample(NodeId node, SampleSink done) {
  const auto worker = backend_->node(node);
  if (worker == nullptr) return done(node, {});
  using Readings = std::vector<DomainReading>;
  worker->call<Readings>(
      QueueName::watch, {{}, {}, "read the counters of its VMs", "statistics"},
      [backend = backend_, node](Connection& connection) -> Result<Readings> {
        const auto now = std::chrono::steady_clock::now();
        if (!connection.is_local() && !backend->slow_turns.counters_are_due(node, now)) return Readings{};
        const bool slow_turn = backend->slow_turns.is_due(node, now);
        auto readings =
            vm_readings(node, connection, backend->vcpus, slow_turn ? AskGuests::yes : AskGuests::no);
        if (readings && slow_turn) report_changed_caps(*backend, node, connection, *readings);
        return readings;
      },
      [backend = backend_, node, done = std::move(done)](const Result<Readings>& readings) {
        auto samples = backend->samples(node, readings.value_or(Readings{}));
        backend->events.while_open([&] { done(node, std::move(samples)); });
      });
}

void LibvirtHypervisor::on_departure(SampleSink sink) { backend_->departures = std::move(sink); }

// A call that fails is made again by the caller, which sees that nothing has changed.
void LibvirtHypervisor::set_balloon(const VmBalloon& balloon) {
  const auto worker = backend_->node(balloon.node);
  if (worker == nullptr) return;
  backend_->slow_turns.turn_often(balloon.node);
  const Uuid vm = vm_uuid({backend_->common->cluster, balloon.job, balloon.task, balloon.incarnation});
  worker->call<void>(
      QueueName::fast, {{}, vm, "set the balloon of a VM", "balloon"},
      [vm, memory = balloon.memory](Connection& node) { return aliquot::set_balloon(node, vm, memory); },
      [](const Result<void>&) {});
}

Result<NodeFacts> LibvirtHypervisor::node_facts(NodeId node, Duration patience, bool probe) {
  auto facts =
      wait_for<NodeFacts>(*backend_, node, QueueName::watch, patience, {{}, {}, "tell what it is", "facts"},
                          [](Connection& connection) { return read_node_facts(connection); });
  if (!facts) return facts;
  const auto choice = backend_->nodes.get(node).acceleration;
  if (!choice) return fail(ErrorKind::unavailable, "the node has been removed meanwhile");
  auto known = choice->known();
  if (!known && probe) {
    known = wait_for<Acceleration>(*backend_, node, QueueName::slow, patience,
                                   {{}, {}, "boot guests under KVM", "probe"},
                                   [choice](Connection& connection) { return choice->get(connection); });
  }
  if (!known) {
    facts->acceleration = "not probed yet";
  } else if (!*known) {
    facts->acceleration = "none";
  } else {
    facts->acceleration = **known == Acceleration::kvm ? "kvm" : "emulation";
  }
  facts->note = choice->why();
  return facts;
}

Result<std::vector<StandingVm>> LibvirtHypervisor::list_domains(NodeId node, Duration patience) {
  const auto found = wait_for<std::vector<FoundDomain>>(
      *backend_, node, QueueName::watch, patience, {{}, {}, "list its VMs", "list"},
      [cluster = backend_->common->cluster](Connection& at) { return cluster_domains(at, cluster); });
  if (!found) return tl::unexpected(found.error());
  std::vector<StandingVm> out;
  for (const FoundDomain& each : *found) {
    backend_->registry.found(each.uuid, each.identity, node, each.fact);
    out.push_back({each.identity, each.fact});
  }
  return out;
}

Result<std::uint32_t> LibvirtHypervisor::clear(NodeId node, Duration patience) {
  return wait_for<std::uint32_t>(
      *backend_, node, QueueName::end, patience, {{}, {}, "destroy its old VMs", "destroy"},
      [backend = backend_, node](Connection& at) { return destroy_all(*backend, node, at); });
}

Result<void> LibvirtHypervisor::suspend(NodeId node, Duration patience) {
  const auto to_memory = [](Connection& at) -> Result<void> {
    const auto duration = static_cast<unsigned long long>(kSuspendedFor.raw / kMillion);
    if (virNodeSuspendForDuration(at.get(), VIR_NODE_SUSPEND_TARGET_MEM, duration, 0) < 0)
      return tl::unexpected(libvirt_error(at, "cannot suspend the node"));
    return {};
  };
  return wait_for<void>(*backend_, node, QueueName::fast, patience,
                        {{}, {}, "suspend the node", "suspend_node"}, to_memory);
}

Result<std::unique_ptr<VmTerminal>> LibvirtHypervisor::open_terminal(const TerminalTarget& target,
                                                                     TerminalListener listener) {
  const auto worker = backend_->node(target.node);
  if (!worker) return fail(ErrorKind::not_found, "there is no node " + std::to_string(target.node.raw));
  auto connection = worker->take_connection("open a terminal");
  if (!connection) return tl::unexpected(connection.error());
  const VmIdentity vm{backend_->common->cluster, target.job, target.task, target.incarnation};
  return open_terminal_stream(std::move(*connection), vm_uuid(vm), std::move(listener));
}

void LibvirtHypervisor::write_off(NodeId node) { backend_->write_off(node, true); }
void LibvirtHypervisor::take_back(NodeId node) { backend_->write_off(node, false); }
Result<NodeSurvey> LibvirtHypervisor::survey(NodeId node, Duration patience) {
  return wait_for<NodeSurvey>(*backend_, node, QueueName::watch, patience, {{}, {}, "list its VMs", "list"},
                              [common = backend_->common](Connection& at) {
                                return survey_node(at, common->cluster).map([&](NodeSurvey survey) {
                                  survey.saved = locally_saved(common->spool, common->cluster);
                                  return survey;
                                });
                              });
}

Result<void> LibvirtHypervisor::destroy_orphan(NodeId node, const Uuid& uuid, Duration patience) {
  return wait_for<void>(*backend_, node, QueueName::end, patience,
                        {{}, uuid, "destroy an orphan", "destroy"},
                        [uuid](Connection& at) { return destroy_vm(at, uuid); });
}

bool LibvirtHypervisor::held_by_other_cluster(NodeId node) const {
  const auto worker = backend_->node(node);
  return worker != nullptr && !worker->other_cluster().empty();
}

void LibvirtHypervisor::prepare_move(const VmMove& move, std::shared_ptr<const JobSpec> spec) {
  if (move.to_uri.empty()) return;
  const Uuid vm = vm_uuid(identity_of(*backend_->common, *spec, move.task));
  if (backend_->node(move.from)) backend_->announced.add(vm, move);
  if (backend_->node(move.to)) backend_->registry.announce(vm, move.to);
}

void LibvirtHypervisor::set_max_output(Memory limit) { backend_->common->max_output.set(limit); }

void LibvirtHypervisor::forget(JobId job) {
  backend_->registry.forget(job);
  (void)remove_file(backend_->common->spool.initrd(job));
  (void)remove_file(backend_->common->spool.description(job));
  remove_leftovers(backend_->common->spool, job);
  remove_checkpoints(backend_->common->spool, job, {}, UINT32_MAX);
}

}  // namespace aliquot
