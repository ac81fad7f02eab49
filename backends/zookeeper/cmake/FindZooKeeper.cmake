# FindZooKeeper: the multi-threaded C client of Apache ZooKeeper, as ZooKeeper::zookeeper_mt.
# Neither its own build nor the Debian package ships anything CMake or pkg-config could read.
include(FindPackageHandleStandardArgs)
include(CMakeFindDependencyMacro)

find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeper_LIBRARY zookeeper_mt)
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_LIBRARY)

if(ZooKeeper_INCLUDE_DIR AND EXISTS ${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h)
  file(STRINGS ${ZooKeeper_INCLUDE_DIR}/zookeeper/zookeeper_version.h _zookeeper_version
    REGEX "define ZOO_VERSION ")
  string(REGEX MATCH "[0-9.]+" ZooKeeper_VERSION "${_zookeeper_version}")
  unset(_zookeeper_version)
endif()

find_package_handle_standard_args(ZooKeeper
  REQUIRED_VARS ZooKeeper_LIBRARY ZooKeeper_INCLUDE_DIR
  VERSION_VAR ZooKeeper_VERSION
  REASON_FAILURE_MESSAGE "install libzookeeper-mt-dev, or configure with -DLOCKSTEP_WITH_ZOOKEEPER=OFF")

# The features that the library was built with. Debian's has neither.
if(ZooKeeper_FOUND)
  include(CheckLibraryExists)
  set(CMAKE_REQUIRED_QUIET ON)
  check_library_exists(${ZooKeeper_LIBRARY} zookeeper_init_ssl "" ZooKeeper_HAS_TLS)
  check_library_exists(${ZooKeeper_LIBRARY} zookeeper_init_sasl "" ZooKeeper_HAS_SASL)
  unset(CMAKE_REQUIRED_QUIET)
endif()
# The C client leaves it to its user to start Cyrus SASL and to answer its questions.
if(ZooKeeper_HAS_SASL)
  find_path(ZooKeeper_SASL_INCLUDE_DIR sasl/sasl.h)
  find_library(ZooKeeper_SASL_LIBRARY sasl2)
  mark_as_advanced(ZooKeeper_SASL_INCLUDE_DIR ZooKeeper_SASL_LIBRARY)
  if(NOT ZooKeeper_SASL_INCLUDE_DIR OR NOT ZooKeeper_SASL_LIBRARY)
    message(STATUS "ZooKeeper's C client has SASL, but libsasl2 has no headers here: SASL is left out")
    set(ZooKeeper_HAS_SASL OFF)
  endif()
endif()

if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::zookeeper_mt)
  find_dependency(Threads)
  add_library(ZooKeeper::zookeeper_mt UNKNOWN IMPORTED)
  set_target_properties(ZooKeeper::zookeeper_mt PROPERTIES
    IMPORTED_LOCATION ${ZooKeeper_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ZooKeeper_INCLUDE_DIR}
    INTERFACE_COMPILE_DEFINITIONS THREADED  # Without it the header hides the synchronous calls.
    INTERFACE_LINK_LIBRARIES Threads::Threads)
  if(ZooKeeper_HAS_TLS)  # The header declares it under the name of its own configuration.
    set_property(TARGET ZooKeeper::zookeeper_mt APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
      HAVE_OPENSSL_H LOCKSTEP_C_CLIENT_HAS_TLS)
  endif()
  if(ZooKeeper_HAS_SASL)
    set_property(TARGET ZooKeeper::zookeeper_mt APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS
      HAVE_CYRUS_SASL_H LOCKSTEP_C_CLIENT_HAS_SASL)
    set_property(TARGET ZooKeeper::zookeeper_mt APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES
      ${ZooKeeper_SASL_INCLUDE_DIR})
    set_property(TARGET ZooKeeper::zookeeper_mt APPEND PROPERTY INTERFACE_LINK_LIBRARIES
      ${ZooKeeper_SASL_LIBRARY})
  endif()
endif()
