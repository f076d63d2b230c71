#include "manager/submission_files.hpp"

#include "manager/api/wire/protocol.hpp"

namespace aliquot {
namespace {

Result<Program> take(SubmissionFiles::Handed handed, const IntakeRules& rules, ContentStore& contents,
                     ImageStore& images) {
  if (const std::string* named = archive_of(handed.program); named && !named->empty())
    if (auto whole = check_archive(handed.archive.bytes, *named); !whole)
      return tl::unexpected<Error>(whole.error());
  if (handed.dry_run) return check_files(std::move(handed.program), handed.user, rules, images);
  return take_in(std::move(handed.program), handed.archive.bytes, handed.user, rules, contents, images);
}

}  // namespace

void SubmissionFiles::take(Handed handed, Done done) {
  const std::size_t size = handed.archive.bytes.size();
  const auto limit = static_cast<std::size_t>(2 * settings_.api.max_request.raw);
  if (archive_bytes_ > 0 && archive_bytes_ + size > limit)
    return done(fail(ErrorKind::unavailable, "the manager is busy storing programs of " +
                                                 std::to_string(archive_bytes_) +
                                                 " bytes; ask again in a second"));
  archive_bytes_ += size;
  IntakeRules rules{settings_.files.roots, settings_.files.max_size, handed.guest_memory};
  tasks_.run([this, size, rules = std::move(rules), handed = std::move(handed),
              done = std::move(done)]() mutable -> std::function<void()> {
    auto program = aliquot::take(std::move(handed), rules, contents_, images_);
    return [this, size, program = std::move(program), done = std::move(done)]() mutable {
      archive_bytes_ -= size;
      done(std::move(program));
    };
  });
}

void SubmissionFiles::release(const Program& program) {
  tasks_.run([this, contents = contents_of(program)]() -> std::function<void()> {
    contents_.release(contents);
    return {};
  });
}

}  // namespace aliquot
