# The Debian packages: what goes into which, and CPack's settings. `tools/package OUT` makes them.
#
# Destinations are below /: the programs look for /etc/aliquot and /usr/share/aliquot, wherever they are
# installed themselves.
set(here ${CMAKE_CURRENT_LIST_DIR})
set(made ${PROJECT_BINARY_DIR}/debian)
set(shared usr/share/aliquot)
set(guest ${PROJECT_BINARY_DIR}/guest)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

install(TARGETS aliquot RUNTIME DESTINATION usr/bin COMPONENT client)
install(TARGETS aliquotd aliquot-db RUNTIME DESTINATION usr/bin COMPONENT manager)
install(TARGETS aliquot-node aliquot-share RUNTIME DESTINATION usr/bin COMPONENT agent)
install(TARGETS aliquot-sim RUNTIME DESTINATION usr/bin COMPONENT simulator)

install(FILES config/aliquot.example.yaml DESTINATION etc/aliquot RENAME aliquot.yaml COMPONENT manager)
install(FILES ${guest}/vmlinux ${guest}/vmlinuz ${guest}/initrd.img ${guest}/shares.img ${guest}/cmdline ${guest}/hashchain.elf
        DESTINATION ${shared}/guest COMPONENT guest)
install(DIRECTORY monitor/grafana/dashboards monitor/grafana/provisioning DESTINATION ${shared} COMPONENT manager)
install(FILES monitor/prometheus/aliquot.rules.yml DESTINATION ${shared} COMPONENT manager)
install(PROGRAMS tools/network/hook DESTINATION ${shared}/hooks RENAME network COMPONENT agent)
install(PROGRAMS tools/share/hook DESTINATION ${shared}/hooks RENAME share COMPONENT agent)
install(DIRECTORY docs/ DESTINATION usr/share/doc/aliquotd/docs COMPONENT manager)
install(FILES README.md GLOSSARY.md DESTINATION usr/share/doc/aliquotd COMPONENT manager)
install(FILES tools/sim/examples/small.csv tools/sim/examples/evolving.csv tools/sim/examples/needs.csv
        DESTINATION usr/share/doc/aliquot-sim/examples COMPONENT simulator)
install(DIRECTORY tools/python/aliquot DESTINATION usr/lib/python3/dist-packages COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
install(DIRECTORY docs/api DESTINATION ${shared} COMPONENT python)
install(PROGRAMS tools/sim/examples/fcfs.py DESTINATION usr/share/doc/aliquot-sim/examples COMPONENT simulator)

install(FILES ${made}/completion.bash DESTINATION usr/share/bash-completion/completions RENAME aliquot COMPONENT client)
install(FILES ${made}/completion.zsh DESTINATION usr/share/zsh/vendor-completions RENAME _aliquot COMPONENT client)
install(FILES ${made}/completion.fish DESTINATION usr/share/fish/vendor_completions.d RENAME aliquot.fish COMPONENT client)
foreach(page aliquot.1:client aliquotd.8:manager aliquot-db.8:manager aliquot.yaml.5:manager aliquot-node.8:agent
             aliquot-share.8:agent aliquot-sim.1:simulator)
  string(REGEX MATCH "(.*)\\.([158]):(.*)" page ${page})
  install(FILES ${made}/man/${CMAKE_MATCH_1}.${CMAKE_MATCH_2}.gz DESTINATION usr/share/man/man${CMAKE_MATCH_2} COMPONENT ${CMAKE_MATCH_3})
endforeach()

# The units of config/ name /usr/local/bin and say how to copy them, for those who build.
function(aliquot_install_unit name component)
  file(READ config/${name}.service unit)
  string(FIND "${unit}" "[Unit]" begins)
  string(SUBSTRING "${unit}" ${begins} -1 unit)
  string(REPLACE /usr/local/bin/ /usr/bin/ unit "${unit}")
  file(WRITE ${made}/${name}.service "${unit}")
  install(FILES ${made}/${name}.service DESTINATION lib/systemd/system COMPONENT ${component})
endfunction()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS config/aliquotd.service config/aliquot-node.service)
aliquot_install_unit(aliquotd manager)
aliquot_install_unit(aliquot-node agent)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Aliquot authors")
set(CPACK_PACKAGE_CONTACT "The Aliquot authors <authors@aliquot.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL client manager agent guest simulator python)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# A package of a component: its words, and what every package has.
macro(aliquot_package component name summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  install(FILES ${here}/copyright ${made}/${name}/changelog.Debian.gz DESTINATION usr/share/doc/${name} COMPONENT ${component})
  if(EXISTS ${here}/${name}.lintian-overrides)
    install(FILES ${here}/${name}.lintian-overrides DESTINATION usr/share/lintian/overrides RENAME ${name} COMPONENT ${component})
  endif()
endmacro()
aliquot_package(client aliquot "command line of a manager that shares nodes in fractions"
  "Aliquot runs jobs in virtual machines and gives each an exact fraction of its\nnodes. This is the command by which users submit, watch and explain jobs.")
aliquot_package(manager aliquotd "manager of jobs in virtual machines that share nodes in fractions"
  "The manager decides where the virtual machines of jobs run, what part of the\nCPU each gets, and when they are saved, restored and migrated. With it come\ndashboards, alert rules and the documentation.")
aliquot_package(agent aliquot-node "agent on a node of Aliquot"
  "Hands the orders of a manager to Xen or libvirt on this machine, where\nlibvirtd does not listen on the network, and relays NFS shares to guests.")
aliquot_package(guest aliquot-guest "Linux guest in which Aliquot's jobs run commands"
  "A kernel and a small user land, started by the manager and by the agents in\nvirtual machines. Nothing of it runs on this machine itself.")
aliquot_package(simulator aliquot-sim "simulator of Aliquot's scheduling policies"
  "Runs the decision code of the manager on a model of the hypervisor, with a\ntrace of jobs, and compares policies.")
aliquot_package(python python3-aliquot "Python client of Aliquot's job API"
  "Submits jobs to a manager of Aliquot, awaits them and follows its events, with\nblocking calls or by asyncio. Typed.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3-zmq")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${here}/python3-aliquot/postinst ${here}/python3-aliquot/prerm)
set(CPACK_DEBIAN_SIMULATOR_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MANAGER_PACKAGE_DEPENDS "aliquot-guest")
set(CPACK_DEBIAN_AGENT_PACKAGE_DEPENDS "aliquot-guest")
set(CPACK_DEBIAN_MANAGER_PACKAGE_RECOMMENDS "aliquot, aliquot-node, libvirt-daemon, libvirt-daemon-driver-qemu, qemu-system-x86")
set(CPACK_DEBIAN_CLIENT_PACKAGE_SUGGESTS "aliquotd, aliquot-sim")
set(CPACK_DEBIAN_AGENT_PACKAGE_SUGGESTS "libvirt-daemon, xen-system-amd64")
set(CPACK_DEBIAN_MANAGER_PACKAGE_CONTROL_EXTRA ${here}/aliquotd/postinst ${here}/aliquotd/prerm ${here}/aliquotd/postrm
    ${here}/aliquotd/conffiles)
set(CPACK_DEBIAN_AGENT_PACKAGE_CONTROL_EXTRA ${here}/aliquot-node/postinst ${here}/aliquot-node/prerm ${here}/aliquot-node/postrm)
include(CPack)
