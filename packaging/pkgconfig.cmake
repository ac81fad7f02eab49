# lockstep-core.pc and lockstep-zookeeper.pc name their folders relative to themselves, so that an
# installation can be moved.
set(folder ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
set(to_lib ..)
file(RELATIVE_PATH to_include ${folder} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
string(REGEX REPLACE "/$" "" to_include ${to_include})

function(lockstep_pkgconfig name)
  configure_file(pkgconfig/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT lockstep_development)
endfunction()

set(frames "")
if(LOCKSTEP_POISON_FRAMES)
  set(frames " -DLOCKSTEP_POISON_FRAMES")
endif()
lockstep_pkgconfig(lockstep-core)
if(LOCKSTEP_WITH_ZOOKEEPER)
  # The C client has no .pc file to require.
  cmake_path(GET ZooKeeper_LIBRARY PARENT_PATH zookeeper_folder)
  set(zookeeper_link -lzookeeper_mt)
  if(NOT zookeeper_folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(PREPEND zookeeper_link "-L${zookeeper_folder} ")
  endif()
  if(ZooKeeper_HAS_SASL)
    string(APPEND zookeeper_link " -lsasl2")
  endif()
  lockstep_pkgconfig(lockstep-zookeeper)
endif()
