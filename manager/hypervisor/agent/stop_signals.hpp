// What ends a program that serves as an agent.
#pragma once

namespace aliquot::agent {

// A descriptor that becomes readable with SIGTERM or SIGINT, for AgentServer::run(). To be called before
// any thread is made: the signals are blocked, and all threads inherit that.
[[nodiscard]] int stop_signals();

}  // namespace aliquot::agent
