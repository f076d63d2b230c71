# Unity builds of all targets, grouped by unity_groups.py. Without Python each source is compiled alone.

# The targets of a directory and of those below it.
function(aliquot_targets_below directory result)
  get_property(found DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(folder IN LISTS folders)
    aliquot_targets_below(${folder} more)
    list(APPEND found ${more})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

function(aliquot_unity_builds)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    return()
  endif()
  aliquot_targets_below(${PROJECT_SOURCE_DIR} targets)
  set(lists "")
  # Their headers and sources share names that a reading of the text does not see; the linker picks one of
  # the two definitions of general_solver by its object file.
  list(REMOVE_ITEM targets aliquot_store aliquot_ctl aliquot_cbc aliquot-sim-cbc)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "^(STATIC_LIBRARY|EXECUTABLE)$")
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    list(APPEND compiled ${target})
    list(FILTER sources INCLUDE REGEX "\\.cpp$")
    list(TRANSFORM sources REPLACE "^([^/].*)$" "${folder}/\\1")
    string(APPEND lists "${target};${sources}\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/unity_sources.txt "${lists}")
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/tools/lib/unity_groups.py
            ${PROJECT_BINARY_DIR}/unity_sources.txt ${PROJECT_BINARY_DIR}/unity_groups.cmake
    COMMAND_ERROR_IS_FATAL ANY)
  include(${PROJECT_BINARY_DIR}/unity_groups.cmake)
  # A type of an anonymous namespace in an included source: gcc takes that source for a header.
  foreach(target IN LISTS compiled)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
  endforeach()
endfunction()
