#include "manager/hypervisor/libxl/xen_restore.hpp"

#include <utility>

#include "manager/hypervisor/libxl/unfinished_domains.hpp"

namespace aliquot {
namespace {

// What libxl uses until the operation ends.
struct Build {
  TaskConfig config;
  std::uint32_t domain = INVALID_DOMID;
  libxl_domain_restore_params parameters{};
};

}  // namespace

void restore_domain(XenNode& node, const RestoreTask& task,
                    std::function<void(Result<std::uint32_t>)> done) {
  const VmIdentity identity = node.identity(*task.spec, task.task);
  auto config = node.config(*task.spec, task.task, task.guests);
  if (!config) return done(tl::unexpected(config.error()));
  if (auto linked = node.link_console(node.vm(identity)); !linked)
    return done(tl::unexpected(linked.error()));
  if (auto noted = note_unfinished(node.xen(), identity); !noted)
    return done(tl::unexpected(noted.error()));
  const auto build = std::make_shared<Build>();
  build->config = std::move(*config);
  libxl_domain_restore_params_init(&build->parameters);
  build->parameters.stream_version = 2;
  node.xen().run(
      [&](const auto* how) {
        return libxl_domain_create_restore(node.xen().context(), build->config.get(), &build->domain,
                                           task.stream, -1, &build->parameters, how, nullptr);
      },
      [&node, build, name = vm_name(identity), done = std::move(done)](int code) {
        if (code != 0) return done(tl::unexpected(xen_error(node.xen(), "restore " + name, code)));
        const auto told = write_key(node.xen(), build->domain, kRestoredKey, "1");
        done(told ? Result<std::uint32_t>(build->domain) : tl::unexpected(told.error()));
      });
}

}  // namespace aliquot
