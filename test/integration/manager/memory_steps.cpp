// A program that holds memory: `memory_steps MIB:SECONDS ...`. In each phase it holds so much, all of it
// written, for so many seconds, and it says when it does. It takes it in small pieces: Linux refuses a
// piece that is larger than the memory of the machine, and the program would end before its kernel ends it.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

int main(int count, char** words) {
  constexpr std::size_t kPiece = 1 << 20;
  std::vector<std::vector<char>> held;
  for (int k = 1; k < count; ++k) {
    char* seconds = nullptr;
    const auto mib = std::strtoul(words[k], &seconds, 10);
    while (held.size() < mib) held.emplace_back(kPiece, 'x');
    held.resize(mib);
    std::printf("holds %lu\n", mib);
    std::fflush(stdout);
    const timespec time{std::strtol(seconds + 1, nullptr, 10), 0};
    nanosleep(&time, nullptr);
  }
}
