// Hostile inputs for every reader of the simulator (fuzz-readers), or of the manager and the command line
// (fuzz-manager), by seed: the corpus as it is, then changed texts of it.
//
//   fuzz-readers CORPUS [--seconds S | --inputs N] [--seed S] [--kind KIND] [--keep FOLDER]
//
// CORPUS has a folder for each kind (targets.hpp). A reader that crashes, hangs, throws or lies ends the
// run with exit 1; the input is then in the folder of --keep (the current one), to be added to the corpus.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

#include "tools/fuzz/mutator.hpp"
#include "tools/fuzz/packed.hpp"
#include "tools/fuzz/targets.hpp"

namespace aliquot::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr unsigned kPatience = 20;  // seconds for one input

// For the signal handler: where the input that is being tried stands.
char crash_note[512];
std::size_t crash_note_length = 0;

extern "C" void on_crash(int signal) {
  // Only what is safe in a handler: the input itself was written before it was tried.
  (void)!write(STDERR_FILENO, crash_note, crash_note_length);
  _exit(signal == SIGALRM ? 3 : 1);
}

std::vector<Seed> read_corpus(const fs::path& folder) {
  std::vector<Seed> corpus = made_seeds();
  for (const auto& file : fs::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(file.path(), std::ios::binary).rdbuf();
    corpus.push_back(
        {file.path().parent_path().filename().string(), file.path().filename().string(), text.str()});
  }
  std::sort(corpus.begin(), corpus.end(), [](const Seed& a, const Seed& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  });
  return corpus;
}

class Run {
 public:
  explicit Run(const fs::path& keep)
      : input_(keep / ("fuzz-input." + std::to_string(getpid()))), scratch_(input_) {
    scratch_ += ".scratch";
    const std::string note =
        std::string(kProgram) + ": crashed or hung; the input is " + input_.string() + "\n";
    crash_note_length = note.copy(crash_note, sizeof crash_note);
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL, SIGALRM})
      std::signal(signal, on_crash);
  }
  ~Run() {
    std::error_code ignored;
    fs::remove(scratch_, ignored);
    if (wrong_.empty()) fs::remove(input_, ignored);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // False: the reader is wrong.
  bool attempt(const std::string& kind, const std::string& input) {
    ++count_;
    std::ofstream(input_, std::ios::binary | std::ios::trunc) << input;
    alarm(kPatience);
    try {
      wrong_ = try_input(kind, input, scratch_.string());
    } catch (const std::exception& error) {
      wrong_ = std::string("it throws: ") + error.what();
    }
    alarm(0);
    if (wrong_.empty()) return true;
    std::cerr << kProgram << ": " << kind << ": " << wrong_ << "\n"
              << kProgram << ": the input is " << input_.string() << "\n";
    return false;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  fs::path input_, scratch_;
  std::string wrong_;
  std::uint64_t count_ = 0;
};

struct Options {
  std::string corpus, keep, kind;
  double seconds = 0;
  std::uint64_t inputs = 10'000, seed = 1;
};

std::string next_input(Mutator& mutator, const std::vector<Seed>& corpus, const Seed& base) {
  const Seed& other = corpus[mutator.below(corpus.size())];
  std::string text = mutator.mutate(base.text, other.text);
  if (base.kind != "workload" || mutator.below(16) != 0) return text;
  text = packed(text);
  return mutator.below(2) == 0 ? text : mutator.mutate(text, other.text);
}

int run(const Options& options) {
  auto corpus = read_corpus(options.corpus);
  if (!options.kind.empty())
    std::erase_if(corpus, [&](const Seed& seed) { return seed.kind != options.kind; });
  if (corpus.empty()) {
    std::cerr << kProgram << ": " << options.corpus << ": no corpus\n";
    return 2;
  }
  const fs::path keep = options.keep.empty() ? fs::temp_directory_path() : fs::path(options.keep);
  Run trying(keep);
  for (const Seed& seed : corpus) {
    if (!trying.attempt(seed.kind, seed.text)) return 1;
  }
  Mutator mutator(options.seed);
  const auto begin = std::chrono::steady_clock::now();
  const auto goes_on = [&] {
    if (options.seconds <= 0) return trying.count() < options.inputs;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
           options.seconds;
  };
  while (goes_on()) {
    const Seed& base = corpus[mutator.below(corpus.size())];
    if (!trying.attempt(base.kind, next_input(mutator, corpus, base))) return 1;
  }
  std::cout << trying.count() << " inputs of " << corpus.size()
            << " seeds: refused or read, none crashed\n";
  return 0;
}

}  // namespace
}  // namespace aliquot::fuzz

int main(int argc, char** argv) {
  aliquot::fuzz::Options options;
  CLI::App app("Hostile inputs for readers.", aliquot::fuzz::kProgram);
  app.add_option("corpus", options.corpus, "a folder for each kind")->required();
  app.add_option("--kind", options.kind, "only this kind");
  app.add_option("--seconds", options.seconds, "how long (instead of --inputs)");
  app.add_option("--inputs", options.inputs, "how many")->capture_default_str();
  app.add_option("--seed", options.seed, "the same seed, the same inputs")->capture_default_str();
  app.add_option("--keep", options.keep, "where the input is left that shows a fault (the system's own)");
  CLI11_PARSE(app, argc, argv);
  return aliquot::fuzz::run(options);
}
