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
add_executable(hypervisor_agent_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_libvirt_nodes.cpp hypervisor_agent_test.cpp hypervisor_agent_figures.cpp)
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

# The same contract on a real Xen, in an emulated dom0: targets `guest` and `xen-dom0`, or skipped with the reason. A short part of it, and
# the whole, which takes minutes.
set(ALIQUOT_SHORT_XEN_CONTRACT
    HypervisorContract.a_created_vm_*
    HypervisorContract.a_saved_vm_holds_*
    HypervisorContract.a_destroyed_vm_*
    Libxl.a_command_*
    Libxl.a_vm_is_saved_*
    Libxl.a_cap_of_nothing_*)
if(TARGET aliquot_libxl)
  add_executable(hypervisor_libxl_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_libxl_test.cpp)
  target_link_libraries(hypervisor_libxl_test PRIVATE aliquot_libxl aliquot_chain GTest::gtest_main)
  add_executable(hypervisor_xen_agents_test hypervisor_contract.cpp hypervisor_contract_laws.cpp hypervisor_xen_agents_test.cpp hypervisor_xen_caps_test.cpp)
  target_link_libraries(hypervisor_xen_agents_test PRIVATE aliquot_agent aliquot_chain GTest::gtest_main)
  add_executable(hypervisor_libxl_chain hypervisor_libxl_chain.c)
  target_compile_options(hypervisor_libxl_chain PRIVATE -fno-sanitize=all)
  target_link_options(hypervisor_libxl_chain PRIVATE -static -fno-sanitize=all)
  set(run_in_dom0 ${CMAKE_CURRENT_SOURCE_DIR}/hypervisor_libxl.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  list(JOIN ALIQUOT_SHORT_XEN_CONTRACT ":Xen/" short)
  add_test(NAME integration.xen COMMAND ${run_in_dom0} Xen/${short})
  add_test(NAME integration.xen_whole COMMAND ${run_in_dom0})
  add_test(NAME integration.xen_pvh COMMAND ${run_in_dom0} -Xen/LibxlDisks.*)  # they are HVM guests either way
  set(with_agents ${CMAKE_CURRENT_SOURCE_DIR}/hypervisor_xen_agents.sh ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  add_test(NAME integration.xen_agents COMMAND ${with_agents} XenAgents/HypervisorContract.*:XenAgents/XenAgentDisks.*)
  add_test(NAME integration.xen_live COMMAND ${with_agents} XenAgents/HypervisorContract.*migrat*:XenAgents/XenAgentMoves.*)
  add_test(NAME integration.xen_caps COMMAND ${with_agents} XenAgents/XenCaps.bind_*)
  add_test(NAME integration.xen_progress COMMAND ${with_agents} XenAgents/XenCaps.are_followed_*)
  set(slow_xen integration.xen_whole integration.xen_pvh integration.xen_agents integration.xen_live integration.xen_caps integration.xen_progress)
  set_tests_properties(integration.xen ${slow_xen} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800 RUN_SERIAL ON)
  set_tests_properties(integration.xen PROPERTIES LABELS integration)
  set_tests_properties(${slow_xen} PROPERTIES LABELS "integration;slow")
  set_tests_properties(integration.xen_progress PROPERTIES ENVIRONMENT "ALIQUOT_QEMU=-icount shift=1,sleep=on")
  set_tests_properties(integration.xen_pvh integration.xen_live PROPERTIES ENVIRONMENT ALIQUOT_TEST_GUESTS=pvh)
endif()
