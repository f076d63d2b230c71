#include "manager/hypervisor/libxl/libxl_hypervisor.hpp"

#include <chrono>
#include <future>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/xen_action.hpp"
#include "manager/hypervisor/libxl/xen_incoming_move.hpp"
#include "manager/hypervisor/libxl/xen_loop.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"
#include "manager/hypervisor/libxl/xen_survey.hpp"

namespace aliquot {

static constexpr Duration kPatience = seconds(30);

// What `ask` returns on the loop's thread, if it does so in time. It gets a promise to keep, at once or
// later.
template <class Value>
static Result<Value> wait_for(XenLoop& loop, Duration patience,
                              std::function<void(std::shared_ptr<std::promise<Result<Value>>>)> ask) {
  const auto promise = std::make_shared<std::promise<Result<Value>>>();
  auto future = promise->get_future();
  loop.post([promise, ask = std::move(ask)] { ask(promise); });
  if (future.wait_for(std::chrono::microseconds(patience.raw)) == std::future_status::ready)
    return future.get();
  return fail(ErrorKind::timeout, "no answer of Xen in time");
}

Result<std::unique_ptr<LibxlHypervisor>> LibxlHypervisor::open(LibxlSetup setup, Sink sink) {
  std::unique_ptr<LibxlHypervisor> made(new LibxlHypervisor);
  made->node_ = std::make_shared<XenNode>(std::move(setup), std::move(sink));
  XenNode* const node = made->node_.get();
  auto loop = XenLoop::start([node](const DomainEnd& end) { node->on_end(end); });
  if (!loop) return tl::unexpected(loop.error());
  made->loop_ = std::move(*loop);
  const auto able =
      wait_for<void>(*made->loop_, kPatience, [node, xen = made->loop_.get()](const auto& promise) {
        promise->set_value(check_guests(*xen, node->setup().guests));
      });
  if (!able) return tl::unexpected(able.error());
  made->loop_->post([node, xen = made->loop_.get()] { node->begin(*xen); });
  return made;
}

LibxlHypervisor::~LibxlHypervisor() {
  if (node_) node_->events().close();
  loop_.reset();
}

void LibxlHypervisor::perform(const Action& action, std::shared_ptr<const JobSpec> spec) {
  if (auto refused = refusal(action, spec.get())) return node_->events().post(std::move(*refused));
  const ActionHead& what = head(action);
  for (std::uint32_t task = what.tasks.first; task - what.tasks.first < what.tasks.count; ++task)
    loop_->post([node = node_, one = for_task(action, task), spec, task] {
      std::make_shared<XenAction>(*node, one, spec, task)->start();
    });
}

void LibxlHypervisor::prepare_move(const VmMove& move, std::shared_ptr<const JobSpec> spec) {
  loop_->post([node = node_, move, spec = std::move(spec)] { aliquot::prepare_move(*node, move, spec); });
}

void LibxlHypervisor::inspect(std::vector<VmQuery> queries) {
  loop_->post([node = node_, queries = std::move(queries)] {
    for (const VmQuery& query : queries) node->inspect(query);
  });
}

void LibxlHypervisor::sample(NodeId node, SampleSink done) {
  loop_->post([self = node_, node, done = std::move(done)] { self->sample(node, done); });
}

void LibxlHypervisor::on_departure(SampleSink sink) {
  loop_->post([node = node_, sink = std::move(sink)] { node->set_departures(sink); });
}

void LibxlHypervisor::forget(JobId job) {
  loop_->post([node = node_, job] { node->forget(job); });
  const Spool& spool = node_->files().spool;
  (void)remove_file(spool.initrd(job));
  (void)remove_file(spool.description(job));
  remove_leftovers(spool, job);
}

void LibxlHypervisor::set_max_output(Memory limit) { node_->max_output().set(limit); }

Result<NodeFacts> LibxlHypervisor::node_facts(NodeId, Duration patience, bool) {
  return wait_for<NodeFacts>(
      *loop_, patience, [xen = loop_.get()](const auto& promise) { promise->set_value(read_facts(*xen)); });
}

Result<NodeSurvey> LibxlHypervisor::survey(NodeId, Duration patience) {
  return wait_for<NodeSurvey>(*loop_, patience, [node = node_](const auto& promise) {
    promise->set_value(survey_domains(node->xen(), node->setup().cluster));
  });
}

Result<void> LibxlHypervisor::destroy_orphan(NodeId, const Uuid& uuid, Duration patience) {
  return wait_for<void>(*loop_, patience, [node = node_, uuid](const auto& promise) {
    node->destroy(uuid, [promise](Result<void> done) { promise->set_value(std::move(done)); });
  });
}

Result<std::uint32_t> LibxlHypervisor::clear(NodeId, Duration patience) {
  return wait_for<std::uint32_t>(*loop_, patience, [node = node_](const auto& promise) {
    node->clear([promise](Result<std::uint32_t> count) { promise->set_value(std::move(count)); });
  });
}

bool LibxlHypervisor::held_by_other_cluster(NodeId) const { return node_->held_by_other_cluster(); }

}  // namespace aliquot
