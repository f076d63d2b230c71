// node maintain: nodes are drained one after the other, the site's work is done on each, and each is put
// back into service before the next one. A loop over commands that the manager keeps: if this program ends,
// the nodes that it has drained stay drained, and the same command goes on from there.
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "config/quantities.hpp"
#include "monitor/codec_words.hpp"
#include "tools/ctl/amounts.hpp"
#include "tools/ctl/verbs.hpp"

namespace aliquot::ctl {

using nlohmann::json;

namespace {

constexpr std::chrono::seconds kBetween{1};
constexpr int kMostFailures = 300;  // looks at a node without an answer, as while the manager is restarted

struct Words {
  std::vector<std::string> nodes;
  std::uint32_t at_once = 1;
  std::string mode = "migrate";
  std::string deadline;
  std::string then = "save";
  std::string command;
  bool pause = false;
};

// What is left on the node and why, as one line.
std::string left_text(const json& drain) {
  std::string text = drain["vms_left"].dump() + (drain["vms_left"] == 1 ? " VM is left" : " VMs are left");
  for (const json& job : drain.value("jobs", json::array())) {
    const std::string why = job["text"].get<std::string>();
    text += "; job " + job["job"].dump() + " (" + job["what"].get<std::string>() + ")" +
            (why.empty() ? "" : ": " + why);
  }
  return text;
}

class Maintenance {
 public:
  Maintenance(Session& session, const Words& words) : session_(session), words_(words) {}

  Result<void> run() {
    for (std::size_t first = 0; first < words_.nodes.size(); first += words_.at_once) {
      const std::size_t end = std::min(words_.nodes.size(), first + words_.at_once);
      const std::vector<std::string> nodes(words_.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                                           words_.nodes.begin() + static_cast<std::ptrdiff_t>(end));
      for (const auto& part : {&Maintenance::drain, &Maintenance::wait_until_empty, &Maintenance::work,
                               &Maintenance::put_back})
        for (const std::string& node : nodes)
          if (auto done = (this->*part)(node); !done) return done;
    }
    return {};
  }

 private:
  Result<json> look(const std::string& node) {
    Result<Answer> answer = session_.ask(NodeShow{node});
    for (int n = 0; n < kMostFailures && !answer; ++n) {
      const ErrorKind kind = answer.error().kind;
      if (kind != ErrorKind::unavailable && kind != ErrorKind::timeout) break;
      std::this_thread::sleep_for(kBetween);
      answer = session_.ask_patiently(NodeShow{node}, {});  // on another connection
    }
    return answer.map([](const Answer& with) { return with.body; });
  }

  // Looks at the node once a second, until it is done or cannot be.
  Result<void> wait(const std::string& node, const std::function<Result<bool>(const json&)>& is_done) {
    for (;; std::this_thread::sleep_for(kBetween)) {
      const auto shown = look(node);
      if (!shown) return tl::unexpected<Error>(shown.error());
      const auto done = is_done(*shown);
      if (!done) return tl::unexpected<Error>(done.error());
      if (*done) return {};
    }
  }

  Result<void> drain(const std::string& node) {
    NodeDrain request;
    request.node = node;
    request.mode = from_word<DrainMode>(words_.mode).value_or(DrainMode::migrate);
    request.then = from_word<AfterDeadline>(words_.then).value_or(AfterDeadline::save);
    if (!words_.deadline.empty()) {
      const auto within = parse_duration(words_.deadline);
      if (!within) return fail(ErrorKind::invalid_argument, "--deadline: " + within.error().message);
      request.within = *within;
    }
    const auto answer = session_.ask(request);
    if (!answer) return tl::unexpected<Error>(answer.error());
    Session::say("node " + node + " is drained");
    return {};
  }

  Result<void> wait_until_empty(const std::string& node) {
    std::string said;
    auto empty = wait(node, [&](const json& shown) -> Result<bool> {
      const json& drain = shown["drain"];
      if (!drain.is_object())
        return fail(ErrorKind::conflict,
                    "node " + node + " was put back into service; nothing more is done");
      if (drain["vms_left"] == 0) return true;
      if (drain["progress"] == "overdue" && words_.then == "stay")
        return fail(ErrorKind::conflict,
                    "node " + node + " is not empty at its deadline, and stays drained: " +
                        left_text(drain) + "; then `aliquot node resume " + node + "`");
      if (const std::string left = left_text(drain); left != said)
        Session::say("node " + node + ": " + left);
      said = left_text(drain);
      return false;
    });
    if (empty) Session::say("node " + node + " is empty");
    return empty;
  }

  Result<void> work(const std::string& node) {
    if (words_.pause) {
      Session::say("node " + node + " is ready; when it is done: aliquot node resume " + node);
      return wait(node, [](const json& shown) -> Result<bool> { return shown["service"] == "in_service"; });
    }
    setenv("ALIQUOT_NODE", node.c_str(), 1);
    const int status = std::system(words_.command.c_str());
    if (status == 0) return {};
    const std::string how = WIFEXITED(status) ? "ended with " + std::to_string(WEXITSTATUS(status))
                                              : "was ended by signal " + std::to_string(WTERMSIG(status));
    return fail(ErrorKind::refused, "the command " + how + " for node " + node +
                                        ", which stays drained; nothing more is done. When it is well: "
                                        "`aliquot node resume " +
                                        node + "`");
  }

  // A node that was booted anew is waited for.
  Result<void> put_back(const std::string& node) {
    if (!words_.pause) {
      const auto answer = session_.ask(NodeResume{node});
      if (!answer) return tl::unexpected<Error>(answer.error());
    }
    auto up = wait(node, [](const json& shown) -> Result<bool> { return shown["state"] == "up"; });
    if (up) Session::say("node " + node + " is in service");
    return up;
  }

  Session& session_;
  const Words& words_;
};

}  // namespace

Run declare_node_maintain(CLI::App& app) {
  auto words = std::make_shared<Words>();
  app.add_option("NODE", words->nodes, "names of the nodes, in their order")->required();
  app.add_option("--at-once", words->at_once, "so many nodes are drained together")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--mode", words->mode, "as of `node drain`: migrate, save, requeue, wait")
      ->check(CLI::IsMember({"migrate", "save", "requeue", "wait"}))
      ->capture_default_str();
  CLI::Option* until = app.add_option("--deadline", words->deadline, "as of `node drain`, for each node");
  app.add_option("--then", words->then,
                 "as of `node drain`: save, requeue, stay (and nothing more is done)")
      ->check(CLI::IsMember({"save", "requeue", "stay"}))
      ->needs(until)
      ->capture_default_str();
  CLI::Option* command =
      app.add_option("--command", words->command,
                     "what the shell is to run for each node that is empty, as $ALIQUOT_NODE");
  CLI::Option* pause =
      app.add_flag("--pause", words->pause, "wait until each node that is empty is resumed")
          ->excludes(command);
  command->excludes(pause);
  return [words](Session& session) -> Result<int> {
    if (words->command.empty() && !words->pause)
      return fail(ErrorKind::invalid_argument,
                  "say what is to be done on a node that is empty: --command COMMAND, or --pause");
    if (auto done = Maintenance(session, *words).run(); !done) return tl::unexpected<Error>(done.error());
    const json answer{{"nodes", words->nodes}};
    return session.show(answer,
                        {[&](bool) { return std::to_string(words->nodes.size()) + " nodes are done\n"; },
                         [&words] { return words->nodes; }});
  };
}

}  // namespace aliquot::ctl
