// page_server [stuck]: serves the status page over a state made by hand, with the manager's own answers,
// and prints its port; until its standard input is closed. A script of the test's is put into the page: it
// writes down what a browser sees of it. stuck: a loop that takes nothing up.
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/page/status_page.hpp"
#include "monitor/codec_step.hpp"
#include "test/unit/manager/api/explain/stage.hpp"

namespace aliquot::test {
namespace {

constexpr const char* kEvil = "<img src=x onerror=document.title='broken'>";

constexpr const char* kLook = R"(
const wrong = [];
window.addEventListener('error', (e) => wrong.push(e.message));
document.addEventListener('securitypolicyviolation',
  (e) => wrong.push(e.violatedDirective + ' ' + e.blockedURI));
const press = (key) =>
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const shown = () => [...document.querySelectorAll('#jobs tr')].filter((row) => !row.hidden).length;
// What the keys do. The picture is drawn anew after each: it is waited for.
async function keys() {
  const pause = () => new Promise((done) => setTimeout(done, 50));
  const chosen = () => document.querySelector('#jobs tr.chosen button')?.textContent ?? '';
  const choosing = async (key, wanted) => {
    press(key);
    for (let tries = 0; tries < 100 && chosen() !== wanted; ++tries) await pause();
    return chosen();
  };
  const seen = {};
  seen.none = await choosing('Escape', '');
  seen.first = await choosing('j', '1');
  seen.second = await choosing('j', '2');
  seen.back = await choosing('k', '1');
  press('/'); seen.focus = document.activeElement.id;
  document.activeElement.value = 'pend'; document.activeElement.dispatchEvent(new Event('input'));
  seen.filtered = shown();
  press('Escape'); seen.all = shown();
  return seen;
}
const look = setInterval(async () => {
  if (document.body.dataset.drawn !== 'yes') return;
  clearInterval(look);
  const named = [...document.querySelectorAll('button, a, input, [role=img]')]
    .filter((e) => !(e.innerText || e.getAttribute('aria-label') || e.labels?.[0]?.innerText));
  const text = (id) => document.getElementById(id).innerText;
  const parts = [...document.querySelectorAll('.node .bar button')];
  const verdict = document.createElement('pre');
  verdict.id = 'verdict';
  verdict.hidden = true;
  verdict.textContent = JSON.stringify({
    wrong, title: document.title, summary: text('summary'), nodes: text('nodes'), jobs: text('jobs'),
    why: text('why'), decisions: text('decisions'), plan: text('plan'), accounts: text('accounts'),
    life: document.querySelector('.life')?.getAttribute('aria-label') ?? '', nameless: named.length,
    current: document.querySelector('nav a[aria-current]').innerText, view: location.hash,
    keys: location.hash === '#now' ? await keys() : {}, trouble: !document.getElementById('trouble').hidden,
    images: document.images.length, cards: document.querySelectorAll('.node').length,
    rows: document.querySelectorAll('#jobs tr').length,
    shares: parts.map((p) => [p.title,
      p.getBoundingClientRect().width / p.parentElement.getBoundingClientRect().width]),
    dark: matchMedia('(prefers-color-scheme: dark)').matches, width: innerWidth,
    paper: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  });
  document.body.append(verdict);
}, 50);
)";

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
    StatusPage page(inbox_, {[this] { return picture(); }, [this](JobId job) { return why(job); },
                             [this] { return plan(); }, [this] { return accounts(); }});
    std::vector<HttpPage> pages = page.pages();
    pages.front().answer = [whole = pages.front().answer](const HttpParameters& parameters) {
      HttpAnswer answer = whole(parameters);
      answer.body.insert(answer.body.find("</head>"), "<script src=\"/look.js\" defer></script>");
      return answer;
    };
    pages.push_back({"/look.js", [](const HttpParameters&) {
                       return HttpAnswer{200, "text/javascript", kLook};
                     }});
    auto exposer = Exposer::open("127.0.0.1", 0,
                                 {[] { return std::string("aliquot_up 1\n"); },
                                  []() -> std::optional<std::string> { return {}; }, std::move(pages)});
    if (!exposer) return 1;
    std::printf("%d\n", (*exposer)->port());
    std::fflush(stdout);
    pollfd wait[] = {{STDIN_FILENO, POLLIN, 0}, {inbox_.fd(), POLLIN, 0}};
    while (wait[0].revents == 0) {
      poll(wait, stuck_ ? 1 : 2, -1);
      if (stuck_) continue;
      for (Message& message : inbox_.drain())
        if (auto* continuation = std::get_if<Continuation>(&message)) continuation->run();
    }
    (*exposer)->stop();
    return 0;
  }

 private:
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
  Inbox inbox_;
};

}  // namespace
}  // namespace aliquot::test

int main(int argc, char** argv) { return aliquot::test::Served(argc > 1 && argv[1][0] == 's').run(); }
