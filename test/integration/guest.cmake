# Real guests on real nodes: root, libvirt and QEMU, or skipped with the reason.
if(NOT ALIQUOT_SIMULATOR_ONLY)
  add_executable(guest_pack ${CMAKE_CURRENT_SOURCE_DIR}/guest_pack.cpp)
  target_link_libraries(guest_pack PRIVATE aliquot_archive)
  add_test(NAME integration.localcluster
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/localcluster_test.sh ${PROJECT_SOURCE_DIR})
  add_test(NAME integration.local_managers
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/local_managers_test.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  add_test(NAME integration.guest
    COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest_test.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(integration.localcluster integration.local_managers integration.guest
    PROPERTIES LABELS integration SKIP_RETURN_CODE 77 TIMEOUT 400)
endif()
