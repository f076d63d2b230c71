// aliquot-node: the agent of a node. Makes keys, or serves a manager with the VMs of this machine.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "manager/hypervisor/agent/agent_server.hpp"
#include "manager/hypervisor/agent/hosted/hosted_backends.hpp"
#include "manager/hypervisor/agent/keys.hpp"
#include "manager/hypervisor/agent/stop_signals.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/local_saves.hpp"
#include "manager/systemd_notice.hpp"
#include "monitor/provenance.hpp"

namespace {

using namespace aliquot;

constexpr int kExitUsage = 2;
constexpr int kExitFailed = 1;

struct ServeOptions {
  std::string backend = "libxl";
  std::string listen = "0.0.0.0:9760";
  std::string keys = "/etc/aliquot/node.keys";
  std::vector<std::string> managers;
  std::string host;
  std::string guests = "pv";
  std::string saves;
  std::string state = "/var/lib/aliquot-node";
  agent::HostOptions hosted;
};

int refused(const std::string& why) {
  std::cerr << "aliquot-node: " << why << '\n';
  return kExitFailed;
}

// The UUID by which the manager knows the machine under whatever name.
std::string machine_uuid() {
  std::string uuid;
  std::getline(std::ifstream("/sys/class/dmi/id/product_uuid"), uuid);
  return uuid;
}

int make_key_file(const std::string& file) {
  const auto keys = agent::make_keys();
  if (!keys) return refused(keys.error().message);
  if (auto written = agent::write_keys(file, *keys); !written) return refused(written.error().message);
  std::cout << agent::to_text(keys->public_key) << '\n';
  return 0;
}

int show_key(const std::string& file) {
  const auto keys = agent::read_keys(file);
  if (!keys) return refused(keys.error().message);
  std::cout << agent::to_text(keys->public_key) << '\n';
  return 0;
}

Result<LocalSaves> local_saves(const ServeOptions& options) {
  if (options.saves.empty()) return LocalSaves{};
  if (options.backend == "libxl")
    return fail(ErrorKind::unsupported,
                "--saves goes with --backend libvirt: Xen machines save their VMs to the spool");
  return open_local_saves(options.saves, options.hosted.spool_dir);
}

int serve(ServeOptions options) {
  const auto keys = agent::read_keys(options.keys);
  if (!keys) return refused(keys.error().message);
  const auto saves = local_saves(options);
  if (!saves) return refused(saves.error().message);
  options.hosted.saves = *saves;
  agent::AgentSetup setup;
  setup.saves = !options.saves.empty();
  for (const std::string& text : options.managers) {
    const auto key = agent::parse_key(text);
    if (!key) return refused("--manager: " + key.error().message);
    setup.managers.push_back(*key);
  }
  options.hosted.xen_guests = parse_guests(options.guests).value();
  const auto backend = options.backend == "libxl" ? agent::libxl_backend(options.hosted)
                                                  : agent::libvirt_backend(options.hosted);
  if (!backend)
    return refused(options.backend == "libxl"
                       ? "this program was built without libxl: install libxen-dev and build it again"
                       : "this program is for machines that run Xen; use aliquot-node");
  const int stop = agent::stop_signals();
  setup.endpoint = "tcp://" + options.listen;
  setup.keys = *keys;
  setup.backend = options.backend;
  setup.host = options.host.empty() ? machine_uuid() : options.host;
  setup.version = kVersion;
  if (auto made = make_directories(options.state); !made)
    return refused(made.error().message + ": name another directory with --state");
  setup.epochs = options.state + "/epochs";
  setup.say = [](const std::string& line) { std::cerr << line << std::endl; };
  setup.alive = [status = "serves " + options.backend + " at " + options.listen] { tell_serving(status); };
  const auto server = agent::AgentServer::open(std::move(setup), backend);
  if (!server) return refused(server.error().message);
  std::cerr << "aliquot-node " << kVersion << " serves " << options.backend << " at "
            << (*server)->endpoint() << ", public key " << agent::to_text(keys->public_key) << std::endl;
  (*server)->run(stop);
  ::close(stop);
  tell_stopping();
  std::cerr << "ended; its VMs run on" << std::endl;
  return 0;
}

void add_serve(CLI::App& app, ServeOptions& options) {
  app.add_option("--backend", options.backend, "libxl for a Xen machine, libvirt for its libvirtd")
      ->check(CLI::IsMember({"libxl", "libvirt"}))
      ->capture_default_str();
  app.add_option("--listen", options.listen, "ADDRESS:PORT for managers")->capture_default_str();
  app.add_option("--keys", options.keys, "file with the agent's keys (`aliquot-node keys`)")
      ->capture_default_str();
  app.add_option("--manager", options.managers, "public key of a manager that may command this agent")
      ->required();
  app.add_option("--spool", options.hosted.spool_dir, "the cluster's spool: mounted here at the same path")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--state", options.state,
                 "directory of this agent alone, on a disk of this machine: which managers were replaced")
      ->capture_default_str();
  app.add_option(
      "--saves", options.saves,
      "with --backend libvirt: directory on a disk of this machine for the memory of paused VMs, "
      "which can go on only here then; goes with local_saves: on of its node");
  app.add_option("--guest-dir", options.hosted.hypervisor.guest_dir, "directory of the project's guests")
      ->capture_default_str();
  app.add_option("--libvirt-uri", options.hosted.libvirt_uri, "with --backend libvirt")
      ->capture_default_str();
  app.add_option("--acceleration", options.hosted.hypervisor.acceleration, "with --backend libvirt")
      ->check(CLI::IsMember({"kvm", "emulation", "auto"}))
      ->capture_default_str();
  app.add_option("--numa", options.hosted.hypervisor.numa,
                 "with --backend libvirt: what of a VM is bound to a NUMA cell, as hypervisor.numa")
      ->check(CLI::IsMember({"off", "memory", "cells"}))
      ->capture_default_str();
  app.add_option("--guests", options.guests,
                 "with --backend libxl: the kind of guests; the same on all Xen nodes of a cluster")
      ->check(CLI::IsMember({"pv", "pvh"}))
      ->capture_default_str();
  app.add_option("--console-logs", options.hosted.console_log_dir,
                 "with --backend libxl: --log-dir of xenconsoled")
      ->capture_default_str();
  app.add_option("--host-uuid", options.host, "UUID of this machine (its firmware's)");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("aliquot-node: the agent of a node, which runs VMs for a manager on another machine");
  app.set_version_flag("--version", std::string("aliquot-node ") + kVersion + " (" + kCommit + ")");
  app.require_subcommand(1);
  std::string file;
  auto* keys =
      app.add_subcommand("keys", "make keys in FILE, which no other user can read; prints the public key");
  keys->add_option("FILE", file, "a new file")->required();
  auto* show = app.add_subcommand("public-key", "print the public key of a file that `keys` made");
  show->add_option("FILE", file, "the file")->required();
  ServeOptions options;
  auto* serving = app.add_subcommand("serve", "serve managers until SIGTERM; the VMs run on");
  add_serve(*serving, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : kExitUsage;
  }
  if (keys->parsed()) return make_key_file(file);
  return show->parsed() ? show_key(file) : serve(options);
}
