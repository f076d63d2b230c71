#include "manager/node_questions.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "manager/api/answers/cluster_answers.hpp"
#include "manager/orphan_answers.hpp"

namespace aliquot {

void NodeQuestions::probe(const std::string& name, Answer answer) {
  const auto& nodes = state().view.nodes;
  const auto node = std::ranges::find(nodes, name, &Node::name);
  if (node == nodes.end()) return answer(tl::unexpected<Error>(no_such_node(state(), name)));
  parts_.probes.run([answer = std::move(answer), ask = parts_.facts(node->id)]() -> std::function<void()> {
    return [answer, facts = ask()] { answer(facts); };
  });
}

void NodeQuestions::list_orphans(const Answer& answer) const {
  answer(orphans_answer(state().view, parts_.orphans(), parts_.clock()));
}

void NodeQuestions::reclaim(std::uint32_t uid, Answer answer) {
  parts_.probes.run(
      [this, answer = std::move(answer), uid, orphans = parts_.orphans()]() -> std::function<void()> {
        std::vector<Reclaimed> done;
        for (const OrphanVm& vm : orphans) {
          const auto destroyed = parts_.destroy(vm, uid);
          done.push_back({vm, destroyed ? std::nullopt : std::optional(destroyed.error())});
        }
        return [this, answer, done = std::move(done)] {
          answer(reclaimed_answer(state().view, done, parts_.clock()));
        };
      });
}

}  // namespace aliquot
