# Writes the translation unit with the version and the commit, at every build, touching it only if it changed.
# COMMIT says it where the sources have no history of their own (an image's build); git's word comes first.
find_program(GIT git)
set(commit "unknown")
if(COMMIT)
  if(NOT COMMIT MATCHES "^[0-9a-f]+[+]?$")
    message(FATAL_ERROR "ALIQUOT_COMMIT is '${COMMIT}'; give what `git rev-parse --short=12 HEAD` prints")
  endif()
  set(commit "${COMMIT}")
endif()
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
                    OUTPUT_VARIABLE changed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(commit "${found}")
    if(changed)
      set(commit "${found}+")
    endif()
  endif()
endif()
file(WRITE ${TARGET}.new "#include \"monitor/provenance.hpp\"

namespace aliquot {

const char* const kVersion = \"${VERSION}\";
const char* const kCommit = \"${commit}\";

}  // namespace aliquot
")
file(COPY_FILE ${TARGET}.new ${TARGET} ONLY_IF_DIFFERENT)
