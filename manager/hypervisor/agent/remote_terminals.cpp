#include "manager/hypervisor/agent/remote_terminals.hpp"

#include <algorithm>
#include <utility>

namespace aliquot::agent {

void TerminalLine::output(std::string bytes) {
  const std::lock_guard lock(mutex_);
  if (!is_closed_) listener_.on_output(std::move(bytes));
}

void TerminalLine::end(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_closed_, true)) listener_.on_end(why);
}

void TerminalLine::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

bool TerminalLine::may_type(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (on_the_way_ + bytes > kMostTerminalBytes) return false;
  on_the_way_ += bytes;
  return true;
}

void TerminalLine::taken(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  on_the_way_ -= std::min(on_the_way_, bytes);
}

RemoteTerminal::~RemoteTerminal() {
  line_->close();
  tell_({.closes = true});
}

bool RemoteTerminal::write(std::string_view bytes) {
  if (!line_->may_type(bytes.size())) return false;
  tell_({.typed = std::string(bytes)});
  return true;
}

void RemoteTerminals::add(NodeId node, std::shared_ptr<TerminalLine> line) {
  const std::uint64_t number = line->number;
  terminals_.insert_or_assign(number, Terminal{node, std::move(line)});
}

std::optional<NodeId> RemoteTerminals::node_of(std::uint64_t number) const {
  const auto at = terminals_.find(number);
  return at == terminals_.end() ? std::nullopt : std::optional(at->second.node);
}

void RemoteTerminals::take(NodeId node, FromTerminal message) {
  const auto at = terminals_.find(message.terminal);
  if (at == terminals_.end() || at->second.node != node) return;
  TerminalLine& line = *at->second.line;
  if (message.taken > 0) line.taken(message.taken);
  if (!message.output.empty()) line.output(std::move(message.output));
  if (message.end) line.end(*message.end);
}

std::vector<std::uint64_t> RemoteTerminals::end_on(NodeId node, const std::string& why) {
  std::vector<std::uint64_t> ended;
  for (const auto& [number, terminal] : terminals_) {
    if (terminal.node != node) continue;
    terminal.line->end(why);
    ended.push_back(number);
  }
  for (const std::uint64_t number : ended) terminals_.erase(number);
  return ended;
}

}  // namespace aliquot::agent
