// A terminal on a running VM: what is typed goes to a shell in its guest, what that shell writes comes
// back. docs/guest-contract.md says what the guest does for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "policies/model/error.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

// Of what the guest writes: so much comes at once. Of what is typed: so much waits to be sent.
inline constexpr std::size_t kMostTerminalBytes = std::size_t{64} << 10;

// The VM, where it runs.
struct TerminalTarget {
  JobId job;
  std::uint32_t task = 0;
  std::uint32_t incarnation = 0;
  NodeId node;
};

// Called on any thread; must pass it on and return.
struct TerminalListener {
  // Called once for each call of read_on().
  std::function<void(std::string bytes)> on_output;
  // At most once, and the last call: the VM has ended, was saved or has left the node, or the node does not
  // answer.
  std::function<void(std::string why)> on_end;
};

// Thread-safe. The destructor may block until the node answers or is found dead; no callback runs after it.
class VmTerminal {
 public:
  VmTerminal() = default;
  VmTerminal(const VmTerminal&) = delete;
  VmTerminal& operator=(const VmTerminal&) = delete;
  virtual ~VmTerminal() = default;

  // Asks for the next output, of at most kMostTerminalBytes. Nothing is read before: a guest that writes
  // without end waits.
  virtual void read_on() = 0;
  // False: so much waits to be sent already that nothing was taken.
  [[nodiscard]] virtual bool write(std::string_view bytes) = 0;
};

}  // namespace aliquot
