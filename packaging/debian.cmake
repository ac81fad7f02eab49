# Debian packages by cpack, one for each component of the installation: the program, and what a
# developer needs. With BUILD_SHARED_LIBS the libraries get a package named after their soname; no
# test installs that one.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR Lockstep)
set(CPACK_PACKAGE_CONTACT "Lockstep <lockstep@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL lockstep_development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/cpack.cmake)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# lockstep_copyright(COMPONENT PACKAGE): installs the licence where Debian expects it. Only Debian
# packages contain it, not an ordinary installation.
function(lockstep_copyright component package)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endfunction()

# The dependencies of the headers and the static libraries, by component of the CMake package.
set(depends "g++ (>= 4:12) | clang-19, libssl-dev, libboost-context-dev")
if(LOCKSTEP_WITH_ZOOKEEPER)
  string(APPEND depends ", libzookeeper-mt-dev")
endif()
if(BUILD_SHARED_LIBS)
  set(library liblockstep${LOCKSTEP_SOVERSION})
  string(APPEND depends ", ${library} (= ${PROJECT_VERSION})")
  list(APPEND CPACK_COMPONENTS_ALL lockstep_library)
  set(CPACK_DEBIAN_LOCKSTEP_LIBRARY_PACKAGE_NAME ${library})
  set(CPACK_DEBIAN_LOCKSTEP_LIBRARY_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_LOCKSTEP_LIBRARY_PACKAGE_SHLIBDEPS ON)
  # The shared libraries link each other, and programs that link them depend on this package.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
  set(CPACK_DEBIAN_LOCKSTEP_LIBRARY_DESCRIPTION "Distributed locks for ZooKeeper: shared libraries")
  lockstep_copyright(lockstep_library ${library})
endif()
set(CPACK_DEBIAN_LOCKSTEP_DEVELOPMENT_PACKAGE_NAME liblockstep-dev)
set(CPACK_DEBIAN_LOCKSTEP_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LOCKSTEP_DEVELOPMENT_PACKAGE_DEPENDS ${depends})
set(CPACK_DEBIAN_LOCKSTEP_DEVELOPMENT_DESCRIPTION "Distributed locks for ZooKeeper: headers and libraries
 The recipes in C++23, their backend on ZooKeeper's C client, and the simulated
 ZooKeeper with which tests search them for races.")
if(TARGET rapidcheck)
  set(CPACK_DEBIAN_LOCKSTEP_DEVELOPMENT_PACKAGE_SUGGESTS librapidcheck-dev)
endif()
lockstep_copyright(lockstep_development liblockstep-dev)

if(TARGET lockstep)
  list(APPEND CPACK_COMPONENTS_ALL lockstep_program)
  set(CPACK_DEBIAN_LOCKSTEP_PROGRAM_PACKAGE_NAME lockstep)
  set(CPACK_DEBIAN_LOCKSTEP_PROGRAM_PACKAGE_SECTION devel)
  set(CPACK_DEBIAN_LOCKSTEP_PROGRAM_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_LOCKSTEP_PROGRAM_DESCRIPTION "Locks of ZooKeeper from the shell, and the hunt for races in them
 Runs commands under a lock, shows and revokes locks, searches lock recipes and
 whole programs for races, and serves a simulated ZooKeeper to tests.")
  lockstep_copyright(lockstep_program lockstep)
endif()
include(CPack)
