# The contract of the hypervisor port on two real libvirt nodes, and what only a real one can show.
file(GLOB hypervisor_contract_sources CONFIGURE_DEPENDS hypervisor_contract*.cpp hypervisor_libvirt_*.cpp)
add_executable(hypervisor_libvirt_test ${hypervisor_contract_sources})
target_link_libraries(hypervisor_libvirt_test PRIVATE aliquot_libvirt GTest::gtest_main)
target_compile_definitions(
  hypervisor_libvirt_test
  PRIVATE ALIQUOT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ALIQUOT_TEST_GUEST_DIR="${CMAKE_BINARY_DIR}/guest"
          ALIQUOT_TEST_CLUSTER_DIR="${CMAKE_BINARY_DIR}/test-cluster")
add_test(NAME hypervisor_libvirt_test COMMAND hypervisor_libvirt_test)
set_tests_properties(hypervisor_libvirt_test PROPERTIES LABELS integration TIMEOUT 900 COST 150)

# The same contract through an agent on each of these nodes.
add_executable(hypervisor_agent_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_libvirt_nodes.cpp hypervisor_agent_test.cpp)
target_link_libraries(hypervisor_agent_test PRIVATE aliquot_hosted aliquot_libvirt GTest::gtest_main)
target_compile_definitions(
  hypervisor_agent_test
  PRIVATE ALIQUOT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ALIQUOT_TEST_GUEST_DIR="${CMAKE_BINARY_DIR}/guest"
          ALIQUOT_TEST_CLUSTER_DIR="${CMAKE_BINARY_DIR}/agent-cluster")
add_test(NAME hypervisor_agent_test COMMAND hypervisor_agent_test)
set_tests_properties(hypervisor_agent_test PROPERTIES LABELS integration TIMEOUT 900 COST 120)

# The same contract on the model, which needs nothing.
add_executable(hypervisor_model_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_model_test.cpp)
target_link_libraries(hypervisor_model_test PRIVATE aliquot_core GTest::gtest_main)
add_test(NAME hypervisor_model_test COMMAND hypervisor_model_test)

# The same contract on a real Xen, in an emulated dom0: targets `guest` and `xen-dom0`, or skipped with the reason.
if(TARGET aliquot_libxl)
  add_executable(hypervisor_libxl_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_libxl_test.cpp)
  target_link_libraries(hypervisor_libxl_test PRIVATE aliquot_libxl aliquot_chain GTest::gtest_main)
  add_executable(hypervisor_libxl_chain hypervisor_libxl_chain.c)
  target_link_options(hypervisor_libxl_chain PRIVATE -static)
  add_test(NAME integration.xen COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/hypervisor_libxl.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(integration.xen PROPERTIES LABELS integration SKIP_RETURN_CODE 77 TIMEOUT 1800 COST 200)
endif()
