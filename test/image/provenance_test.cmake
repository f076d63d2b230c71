# Outside a git checkout the commit is the one that was given, or unknown; what is no commit is refused.
file(MAKE_DIRECTORY ${WORK}/nowhere)
set(ENV{GIT_CEILING_DIRECTORIES} ${WORK})

function(commit_of given expected)
  file(REMOVE ${WORK}/made.cpp)
  execute_process(COMMAND ${CMAKE_COMMAND} -DSOURCE=${WORK}/nowhere -DTARGET=${WORK}/made.cpp -DVERSION=1.2.3
                          -DCOMMIT=${given} -P ${SOURCE}/monitor/provenance.cmake
                  RESULT_VARIABLE failed ERROR_VARIABLE said)
  if(expected STREQUAL "refused")
    if(NOT failed OR NOT said MATCHES "ALIQUOT_COMMIT is")
      message(FATAL_ERROR "'${given}' was not refused: ${said}")
    endif()
    return()
  endif()
  file(READ ${WORK}/made.cpp made)
  if(failed OR NOT made MATCHES "kCommit = \"${expected}\"" OR NOT made MATCHES "kVersion = \"1.2.3\"")
    message(FATAL_ERROR "'${given}' became: ${made} ${said}")
  endif()
endfunction()

commit_of("" unknown)
commit_of(0123456789ab 0123456789ab)
commit_of("x\"" refused)
commit_of("--help" refused)
