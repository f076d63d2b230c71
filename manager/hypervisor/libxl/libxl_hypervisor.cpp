#include "manager/hypervisor/libxl/libxl_hypervisor.hpp"

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/xen_action.hpp"
#include "manager/hypervisor/libxl/xen_loop.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

Result<std::unique_ptr<LibxlHypervisor>> LibxlHypervisor::open(LibxlSetup setup, Sink sink) {
  std::unique_ptr<LibxlHypervisor> made(new LibxlHypervisor);
  made->node_ = std::make_shared<XenNode>(std::move(setup), std::move(sink));
  XenNode* const node = made->node_.get();
  auto loop = XenLoop::start([node](const DomainEnd& end) { node->on_end(end); });
  if (!loop) return tl::unexpected(loop.error());
  made->loop_ = std::move(*loop);
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

}  // namespace aliquot
