// All that the manager learns from finished runs: which number of tasks did best, and how long jobs run.
//
// Each keeper hands its text to `keep` under a name of its own, and gets what was kept last under that name
// when the manager starts.
#pragma once

#include <map>
#include <string>

#include "manager/knowledge_keeper.hpp"
#include "manager/run_time_keeper.hpp"

namespace aliquot {

class Learning final : public Observer {
 public:
  struct Parts {
    const CoreState& state;   // when the manager starts
    std::size_t entries = 1;  // of the knowledge base
    std::function<void(const std::string& line)> warn;
    std::function<void(std::string name, std::string text)> keep;
  };
  Learning(const Parts& parts, std::map<std::string, std::string> kept);

  void on_step(const Step& step, const ClusterView& after) override { knowledge_.on_step(step, after); }
  void on_durable(const Step& step) override {
    knowledge_.on_durable(step);
    run_times_.on_durable(step);
  }

  // Of what one of the keepers answers.
  template <KnowledgeRequest R>
  [[nodiscard]] Result<std::string> on(const R& request) {
    return knowledge_.on(request);
  }
  template <RunTimesRequest R>
  [[nodiscard]] Result<std::string> on(const R& request) {
    return run_times_.on(request);
  }

  [[nodiscard]] KnowledgeKeeper& knowledge() { return knowledge_; }
  [[nodiscard]] const RunTimeKeeper& run_times() const { return run_times_; }

 private:
  KnowledgeKeeper knowledge_;
  RunTimeKeeper run_times_;
};

// A request about what was learned.
template <class R>
concept LearningRequest = KnowledgeRequest<R> || RunTimesRequest<R>;
// It changes what is kept.
template <class R>
concept LearningChange = KnowledgeChange<R> || RunTimesChange<R>;

}  // namespace aliquot
