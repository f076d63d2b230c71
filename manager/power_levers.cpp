#include "manager/power_levers.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "manager/site_command.hpp"

namespace aliquot {
namespace {

constexpr Duration kNodePatience = seconds(10);
constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

BackgroundTasks& SitePowerLevers::thread_of(Threads& threads, NodeId node) {
  auto& thread = threads[node.raw % threads.size()];
  if (!thread) thread = std::make_unique<BackgroundTasks>(parts_.inbox);
  return *thread;
}

void SitePowerLevers::run(Threads& threads, NodeId node, Work work, Done done) {
  thread_of(threads, node).run([work = std::move(work), done = std::move(done)]() -> std::function<void()> {
    return [done, said = work()] { done(said); };
  });
}

void SitePowerLevers::switch_off(NodeId node, Done done) {
  const NodePowerSettings& power = parts_.settings.power;
  const SiteCommand command{"power.off_command", power.off_command, power.command_timeout,
                            "power.command_timeout"};
  run(
      off_, node,
      [this, node, command, name = parts_.roster.nodes().at(node.raw).name,
       takes = power.policy.switch_off]() -> Result<std::string> {
        if (command.words.empty()) return suspend(node, takes);
        return run_site_command(command, name, parts_.stopping);
      },
      std::move(done));
}

// libvirtd answers before the node sleeps. One that does not answer is suspended already: by the manager
// before it was started again.
Result<std::string> SitePowerLevers::suspend(NodeId node, Duration takes) {
  const auto begun = parts_.hypervisor.suspend(node, kNodePatience);
  const bool silent =
      !begun && (begun.error().kind == ErrorKind::unavailable || begun.error().kind == ErrorKind::timeout);
  if (!begun && !silent) return tl::unexpected<Error>(begun.error());
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(takes.raw);
  while (!parts_.stopping && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kLookEvery);
  return silent ? "it does not answer" : "suspended to memory by libvirt";
}

void SitePowerLevers::switch_on(NodeId node, Done done) {
  const NodePowerSettings& power = parts_.settings.power;
  const SiteCommand command{"power.on_command", power.on_command, power.command_timeout,
                            "power.command_timeout"};
  run(
      on_, node,
      [this, command, name = parts_.roster.nodes().at(node.raw).name]() -> Result<std::string> {
        if (command.words.empty()) return fail(ErrorKind::unsupported, "there is no power.on_command");
        return run_site_command(command, name, parts_.stopping);
      },
      std::move(done));
}

void SitePowerLevers::read_meter(NodeId node, Metered done) {
  const NodePowerSettings& power = parts_.settings.power;
  const SiteCommand command{"power.meter_command", power.meter_command, power.command_timeout,
                            "power.command_timeout"};
  thread_of(meters_, node)
      .run([this, command, name = parts_.roster.nodes().at(node.raw).name,
            done = std::move(done)]() -> std::function<void()> {
        const auto said = run_site_command(command, name, parts_.stopping);
        const auto since = std::chrono::steady_clock::now().time_since_epoch();
        const Duration at{std::chrono::duration_cast<std::chrono::microseconds>(since).count()};
        return [done, line = said.map([&](const std::string& text) {
          return MeterLine{text, at};
        })] { done(line); };
      });
}

void SitePowerLevers::connect(NodeId node) {
  parts_.roster.disconnect(node);
  parts_.roster.connect(node);
}

void SitePowerLevers::disconnect(NodeId node) { parts_.roster.disconnect(node); }

void SitePowerLevers::take_inventory(NodeId node, Done done) {
  run(
      on_, node,
      [this, node]() -> Result<std::string> {
        const auto facts = parts_.hypervisor.node_facts(node, kNodePatience, false);
        if (!facts) return tl::unexpected<Error>(facts.error());
        parts_.inbox.post(Continuation{[this, node, facts = *facts] { parts_.learned(node, facts); }});
        return "";
      },
      std::move(done));
}

}  // namespace aliquot
