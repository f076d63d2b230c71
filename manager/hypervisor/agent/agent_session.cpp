#include "manager/hypervisor/agent/agent_session.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::agent {
namespace {

constexpr Duration kPatience = seconds(30);  // for what blocks

bool is_on(NodeId node, const Action& action) {
  const auto all = [&](const TaskNodes& nodes) {
    return nodes.is_one() ? nodes[0] == node
                          : std::ranges::all_of(nodes.each(), [&](NodeId each) { return each == node; });
  };
  return std::visit(
      [&](const auto& a) {
        if constexpr (requires { a.nodes; }) return all(a.nodes);
        if constexpr (requires { a.from; }) return all(a.from);
        return true;
      },
      action);
}

}  // namespace

Result<std::shared_ptr<AgentSession>> AgentSession::open(Hello hello, Inbox& inbox,
                                                         const OpenBackend& open_backend) {
  std::shared_ptr<AgentSession> made(new AgentSession(std::move(hello)));
  // The session is locked on the loop alone: the last owner joins the backend's threads.
  made->post_ = [&inbox, weak = std::weak_ptr<AgentSession>(made)](FromAgent message) {
    inbox.post(Continuation{[weak, message = std::move(message)] {
      if (const auto self = weak.lock()) self->say(message);
    }});
  };
  const auto post = made->post_;
  auto backend =
      open_backend(made->hello_, {[post](Event event) { post(Happened{std::move(event)}); },
                                  [post](NodeSurvey survey) { post(Surveyed{std::move(survey)}); }});
  if (!backend) return tl::unexpected(backend.error());
  made->backend_ = std::move(*backend);
  made->backend_->on_departure(
      [post](NodeId, std::vector<VmSample> samples) { post(Departed{std::move(samples)}); });
  made->tasks_ = std::make_unique<BackgroundTasks>(inbox);
  made->terminals_ = std::make_unique<NodeTerminals>(NodeTerminals::Parts{
      made->hello_.node,
      [backend = made->backend_.get()](const TerminalTarget& target, TerminalListener listener) {
        return backend->open_terminal(target, std::move(listener));
      },
      post, inbox});
  return made;
}

Result<void> AgentSession::take(Packet packet) {
  const auto text = link_.receive(std::move(packet));
  if (!text) return {};
  auto message = decode_to_agent(*text);
  if (!message) return tl::unexpected(message.error());
  std::visit([this](auto& one) { take(one); }, *message);
  return {};
}

void AgentSession::every_second(std::uint64_t epochs_refused) {
  link_.every_second();
  terminals_->every_second();
  const bool held = backend_->held_by_other_cluster(hello_.node);
  if (held != held_by_other_) say(HeldByOther{held});
  held_by_other_ = held;
  if (epochs_refused != epochs_refused_) say(EpochsRefused{epochs_refused});
  epochs_refused_ = epochs_refused;
}

void AgentSession::take(Perform& message) {
  commands_.add(message.actions);
  const auto spec = std::make_shared<const JobSpec>(std::move(message.spec));
  for (const Action& action : message.actions) {
    const ActionHead& what = head(action);
    if (what.job == spec->job && is_on(hello_.node, action)) {
      backend_->perform(action, spec);
      continue;
    }
    Outcome outcome{what.op, what.job, what.tasks, {}, {}, {}};
    outcome.error =
        Error{ErrorKind::invalid_argument, "the action names another node or job than its agent's"};
    say(Happened{Event{outcome}});
  }
}

void AgentSession::take(PrepareMove& message) {
  if (message.move.from == hello_.node || message.move.to == hello_.node)
    backend_->prepare_move(message.move, std::make_shared<const JobSpec>(std::move(message.spec)));
}

// Removes files, which may take long.
void AgentSession::take(const Forget& message) {
  tasks_->run([this, job = message.job]() -> std::function<void()> {
    backend_->forget(job);
    return {};
  });
}

void AgentSession::take(const SetBalloon& message) {
  backend_->set_balloon({message.job, message.task, message.incarnation, hello_.node, message.memory});
}

void AgentSession::take(const Question& question) {
  if (question.subject == Subject::samples)
    return backend_->sample(
        hello_.node, [post = post_, number = question.number](NodeId, std::vector<VmSample> samples) {
          Answer answer;
          answer.number = number;
          answer.samples = std::move(samples);
          post(std::move(answer));
        });
  tasks_->run([this, question]() -> std::function<void()> {
    post_(answer(question));
    return {};
  });
}

Answer AgentSession::answer(const Question& question) const {
  Answer answer;
  answer.number = question.number;
  const auto keep = [&answer](auto result, auto& into) {
    if (result)
      into = std::move(*result);
    else
      answer.error = result.error();
  };
  const NodeId node = hello_.node;
  switch (question.subject) {
    case Subject::samples:
      break;
    case Subject::facts:
    case Subject::facts_tried:
      keep(backend_->node_facts(node, kPatience, question.subject == Subject::facts_tried), answer.facts);
      break;
    case Subject::survey:
      keep(backend_->survey(node, kPatience), answer.survey);
      break;
    case Subject::destroy_orphan:
      if (auto done = parse_uuid(question.vm).and_then([&](const Uuid& vm) {
            return backend_->destroy_orphan(node, vm, kPatience);
          });
          !done)
        answer.error = done.error();
      break;
    case Subject::clear:
      keep(backend_->clear(node, kPatience), answer.count);
      break;
  }
  return answer;
}

}  // namespace aliquot::agent
