// page_server [stuck]: serves the console over a state made by hand, with the manager's own answers, and
// prints its port; until its standard input is closed. A line on it submits a job. What the page asks for
// with the token "good" is printed, and answered as the manager would; a viewer's token, "poor", is
// refused. stuck: a loop that takes nothing up.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/page/console.hpp"
#include "monitor/codec_step.hpp"
#include "test/unit/manager/api/explain/stage.hpp"

namespace aliquot::test {
namespace {

constexpr const char* kPlan = R"({"policy":"GREEDY","lost":[],
  "drained":[{"job":1,"name":"hydro","what":"migrate","text":""}],"refused":[],"starts":[],"resumes":[],
  "pauses":[{"job":1,"name":"hydro","from":[{"node":"n0","tasks":1}],"to":[],
             "yield_before":1,"yield_after":null,"gain_cpus":-1}],
  "moves":[],"yields":[],"waits":[],
  "before":{"placed":4,"waiting":2,"cpus_given":7,"yield_min":0.5,"yield_mean":0.75},
  "after":{"placed":3,"waiting":3,"cpus_given":6,"yield_min":0.5,"yield_mean":0.75},
  "cost":null,"actions":[],"saved":{"policy":"GREEDY"}})";
constexpr const char* kEvil = "<img src=x onerror=document.title='broken'>";

Submission named(Submission what, const char* name) {
  what.name = name;
  return what;
}

Stage cluster() {
  Stage stage("GREEDY-PMTN-MIGR");
  stage.nodes(3, 2, 4096).nodes(1, 4, 8192).nodes(1, 2, 4096);
  stage.state.view.nodes[4].state = NodeState::down;
  stage.run(1, named(submission(2, 1000, 1024), "hydro"), {{{0}, 1}, {{1}, 1}})
      .run(2, named(with_limit(submission(2, 2000, 1536), 400), "render"), {{{0}, 1}, {{2}, 1}}, 500'000)
      .run(3, named(submission(4, 1000, 1024), kEvil), {{{3}, 4}}, 750'000)
      .run(4, named(with_limit(submission(1, 1500, 2048), 300), "fit"), {{{1}, 1}}, 600'000)
      .wait(5, named(submission(5, 1000, 2048), "genome"))
      .saved(6, named(submission(1, 2000, 3500), "nightly"));
  return stage;
}

std::vector<LoggedEvent> told() {
  const Standing before{Phase::running, kFullYield, {{{0}, 1}, {{2}, 1}}};
  const Standing after{Phase::running, {500'000}, {{{0}, 1}, {{2}, 1}}};
  const ChronicleEntry slowed{{{2}}, Turn::cap, 17, "job 3 arrived", before, after, {}, "", {{3}}};
  const ChronicleEntry moved{{{4}}, Turn::move, 18, "node n4 became down: no answer", before, after,
                             {},    kEvil,      {}};
  return {{1, {40'000'000}, JobId{2}, encode(slowed)}, {2, {60'000'000}, JobId{4}, encode(moved)}};
}

class Served {
 public:
  explicit Served(bool stuck) : stage_(cluster()), stuck_(stuck) {}

  int run() {
    Console console(
        inbox_,
        {[this] { return picture(); }, [this] { return newest_; }, [this](JobId job) { return why(job); },
         [this](const auto& name) { return node(name); }, [this] { return plan(); },
         [this] { return accounts(); }, [this](const auto& request) { return read(request); },
         [this](const auto& request, const auto& answered) { act(request, answered); }});
    auto exposer = Exposer::open("127.0.0.1", 0,
                                 {[] { return std::string("aliquot_up 1\n"); },
                                  []() -> std::optional<std::string> { return {}; }, console.pages()});
    if (!exposer) return 1;
    std::printf("%d\n", (*exposer)->port());
    std::fflush(stdout);
    pollfd wait[] = {{STDIN_FILENO, POLLIN, 0}, {inbox_.fd(), POLLIN, 0}};
    while (wait[0].revents == 0 || is_told_more()) {
      if (wait[0].revents != 0) console.changed();
      poll(wait, stuck_ ? 1 : 2, -1);
      if (stuck_) continue;
      for (Message& message : inbox_.drain())
        if (auto* continuation = std::get_if<Continuation>(&message)) continuation->run();
    }
    console.stop();
    (*exposer)->stop();
    return 0;
  }

 private:
  bool is_told_more() {
    std::array<char, 64> line{};
    if (::read(STDIN_FILENO, line.data(), line.size()) <= 0) return false;
    stage_.wait(++newest_, named(submission(1, 1000, 1024), "newest"));
    return true;
  }
  static void act(const WebRequest& request, const WebClients::Answered& answered) {
    if (request.token == "poor" && request.method != "hello")
      return answered({Error{ErrorKind::forbidden, "the key `poor` is a viewer's"}});
    if (request.token != "good" && request.token != "poor")
      return answered({Error{ErrorKind::forbidden, "the token is not known"}});
    const auto body = nlohmann::json::parse(request.body);
    if (request.method == "hello")
      return answered({{},
                       R"({"you":{"uid":0,"is_operator":)" +
                           std::string(request.token == "good" ? "true" : "false") +
                           R"(,"may_submit":true}})"});
    const bool is_drain = request.method == "node.drain";
    if (request.method == "plan") return answered({{}, kPlan});
    std::printf("%s %s\n", request.method.c_str(), request.body.c_str());
    std::fflush(stdout);
    nlohmann::json answer = body;
    answer["done"] = request.method + "led";
    answer["service"] = is_drain ? "" : "in_service";
    answer["mode"] = "migrate";
    answer["jobs"] = {{{"job", 1}, {"name", "hydro"}, {"what", "migrate"}, {"text", kEvil}}};
    answered({{}, answer.dump()});
  }
  static nlohmann::json vm_row(JobId id, const JobRecord& record, std::size_t task) {
    const Demand& demand = record.submission->demand;
    return {{"job", id.raw},
            {"name", record.submission->name},
            {"task", task},
            {"state", "running"},
            {"doing", nullptr},
            {"cap_cpus", wire::in_cores(demand.need * record.vms[task].cap)},
            {"memory_bytes", demand.memory.raw},
            {"memory", {{"used_bytes", 300 << 20}}},
            {"cpu", {{"used_s", 30.0}, {"granted_s", 40.0}, {"read_s", 100.0}}}};
  }
  Result<std::string> read(const WebRequest& request) {
    if (request.token != "good") return fail(ErrorKind::forbidden, "the token is not known");
    if (request.method == "status") return picture();
    if (request.method == "why") return why(console_job(request.body).value());
    if (request.method == "node") return node(request.body);
    return request.method == "plan" ? plan() : accounts();
  }
  Result<std::string> node(const std::string& name) {
    return node_show_answer(stage_.state, name).map([&](const std::string& shown) {
      nlohmann::json answer = nlohmann::json::parse(shown);
      answer["vms"] = nlohmann::json::array();
      for (const auto& [id, record] : stage_.state.records)
        for (std::size_t task = 0; task < record.vms.size(); ++task)
          if (record.vms[task].state == VmState::running &&
              stage_.state.view.nodes[record.vms[task].node.raw].name == name)
            answer["vms"].push_back(vm_row(id, record, task));
      return answer.dump();
    });
  }
  std::string picture() {
    DaemonFacts facts;
    facts.version = "0.1.0";
    facts.cluster = "test";
    const auto& state = stage_.state;
    return page_picture(status_answer(state, stage_.policy(), facts, stage_.clock()),
                        node_list_answer(state), list_answer(state, {}, 100, stage_.clock()),
                        events_answer(state.view, told(), 0, 100, stage_.clock()));
  }
  Result<std::string> why(JobId job) {
    return why_answer(stage_.state, stage_.policy(), job, stage_.clock(), {}, told());
  }

  // Job 5 would start, job 1 be paused, job 2 slowed.
  std::string plan() {
    Plan plan;
    plan.changes = {
        {{1}, {}, {}, {}}, {{2}, {{{0}, 1}, {{2}, 1}}, {250'000}, {}}, {{5}, {{{3}, 5}}, {400'000}, {}}};
    return plan_answer(stage_.state, stage_.policy(), plan, {}, stage_.clock());
  }
  std::string accounts() {
    AccountRow row;
    row.jobs = {{JobState::running, 2}, {JobState::completed, 7}, {JobState::failed, 1}};
    return accounts_answer({{kEvil, row}, {"physics", row}}, Accounts{}, stage_.clock()).value();
  }

  Stage stage_;
  bool stuck_;
  std::uint64_t newest_ = 6;  // event, and job
  Inbox inbox_;
};

}  // namespace
}  // namespace aliquot::test

int main(int argc, char** argv) { return aliquot::test::Served(argc > 1 && argv[1][0] == 's').run(); }
