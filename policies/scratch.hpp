// Memory for the working out of a decision, handed from one decision to the next: nothing is asked of the
// system piece by piece, and what is used is warm.
//
// A cache in the sense of the laws: it changes no result. It belongs to one thread, as a policy does; a
// decision within a decision gets memory of its own. What was allocated lives until it is given back or the
// lease ends; nothing of it may outlive that. Memory is handed out from the beginning of a block to its
// end. Of what is given back, the last piece and the large ones are used again at once: a large decision
// would else write to memory that is in no cache.
#pragma once

#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

namespace aliquot {

class Scratch {
  using Block = std::vector<std::byte>;

 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { delete spare_; }

  class Lease : private std::pmr::memory_resource {
   public:
    explicit Lease(Scratch& owner);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() override;
    [[nodiscard]] std::pmr::memory_resource* memory() { return this; }

   private:
    struct Piece {
      std::byte* first = nullptr;
      std::size_t size = 0;
    };
    void* do_allocate(std::size_t size, std::size_t alignment) override;
    void do_deallocate(void* at, std::size_t size, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override;
    // A large piece that was given back and suffices, or nothing.
    void* reuse(std::size_t size, std::size_t alignment);

    Scratch& owner_;
    Block* block_;
    std::byte* next_;  // of the block: what has not been handed out
    std::byte* end_;
    std::array<Piece, 8> given_back_;                // the large ones
    std::size_t missing_ = 0;                        // bytes that the block did not have
    std::pmr::monotonic_buffer_resource elsewhere_;  // where they are then
  };

 private:
  Block* take();

  Block* spare_ = nullptr;
};

}  // namespace aliquot
