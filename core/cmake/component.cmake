# The few functions every CMakeLists.txt of this tree calls. Sources are found by globbing with
# CONFIGURE_DEPENDS: a new file is picked up by the next build, and an empty folder is no error.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(LOCKSTEP_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
# Before 1.0 a minor version may break its users, so each has a soname of its own.
set(LOCKSTEP_SOVERSION ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(LOCKSTEP_SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()

# lockstep_component(NAME [STATIC] [DIR folder] [PUBLIC targets...] [PRIVATE targets...] [KEPT headers...])
# The library lockstep::NAME from folder/include and folder/src, installed as a package component of
# its own. Without a .cc file it is a header-only library; without a folder it stands for what it links.
# KEPT: headers that only sources of this tree include, and that are not installed.
function(lockstep_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "DIR" "PUBLIC;PRIVATE;KEPT")
  set(type "")  # BUILD_SHARED_LIBS decides.
  if(arg_STATIC)
    set(type STATIC)
  endif()
  if(arg_DIR)
    set(root ${PROJECT_SOURCE_DIR}/${arg_DIR})
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${root}/include/lockstep/*.h)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${root}/src/*.cc)
    list(TRANSFORM arg_KEPT PREPEND ${root}/include/lockstep/)
    foreach(kept IN LISTS arg_KEPT)
      if(NOT kept IN_LIST headers)
        message(FATAL_ERROR "there is no ${kept} to keep")
      endif()
    endforeach()
    list(REMOVE_ITEM headers ${arg_KEPT})
  endif()

  set(target lockstep_${name})
  if(sources)
    set(scope PUBLIC)
    add_library(${target} ${type} ${sources})
    lockstep_compile_options(${target})
    target_link_libraries(${target} PRIVATE ${arg_PRIVATE})
    target_include_directories(${target} PRIVATE ${root}/src)
    set_target_properties(${target} PROPERTIES
      POSITION_INDEPENDENT_CODE ON  # So that a user's shared library can contain it.
      VERSION ${PROJECT_VERSION} SOVERSION ${LOCKSTEP_SOVERSION})
    lockstep_share_precompiled(${target})
    lockstep_join(${target})
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()
  add_library(lockstep::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} CXX_EXTENSIONS OFF)
  target_compile_features(${target} ${scope} cxx_std_23)
  target_link_libraries(${target} ${scope} ${arg_PUBLIC})
  set(file_set "")
  if(headers)
    target_sources(${target} ${scope}
      FILE_SET HEADERS BASE_DIRS ${root}/include FILES ${headers})
    set(file_set FILE_SET HEADERS)
  endif()

  if(LOCKSTEP_INSTALL)
    if(headers)
      list(APPEND file_set COMPONENT lockstep_development)
    endif()
    install(TARGETS ${target} EXPORT lockstep-${name}
      ARCHIVE COMPONENT lockstep_development
      LIBRARY COMPONENT lockstep_library NAMELINK_COMPONENT lockstep_development
      ${file_set})
    install(EXPORT lockstep-${name} NAMESPACE lockstep:: FILE lockstep-${name}.cmake
      DESTINATION ${LOCKSTEP_PACKAGE_DIR} COMPONENT lockstep_development)
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_COMPONENTS ${name})
    if(sources)
      lockstep_installs(${target})
    endif()
  endif()
endfunction()

# lockstep_installs(TARGET): building lockstep_installed builds this target too, so that an
# installation finds all of its files, whatever else was built.
function(lockstep_installs target)
  if(NOT TARGET lockstep_installed)
    add_custom_target(lockstep_installed)
  endif()
  add_dependencies(lockstep_installed ${target})
endfunction()

# The standard headers that nearly every file includes.
set(LOCKSTEP_STANDARD_HEADERS
  <algorithm> <array> <chrono> <coroutine> <cstdint> <deque> <expected> <functional> <map>
  <memory> <optional> <set> <span> <sstream> <stdexcept> <stop_token> <string> <string_view>
  <thread> <utility> <vector>)

# lockstep_precompile(TARGET headers...): precompiles what nearly every file of a target includes, if
# LOCKSTEP_PRECOMPILED_HEADERS is on and the compiler is called more than five times: for fewer calls, the
# header costs more than it saves. No header of ours, since those change, except one on which nearly every
# file of the target depends anyway. A file must include what it uses: clang-tidy and the preset dev compile
# without the option and show a file that lacks an include. After lockstep_join(), if it is joined.
function(lockstep_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources calls)
  get_target_property(joined ${target} UNITY_BUILD)
  if(joined)
    math(EXPR calls "(${calls} + ${LOCKSTEP_JOINED_FILES} - 1) / ${LOCKSTEP_JOINED_FILES}")
  endif()
  if(LOCKSTEP_PRECOMPILED_HEADERS AND calls GREATER 5)
    target_precompile_headers(${target} PRIVATE ${ARGN} ${LOCKSTEP_STANDARD_HEADERS})
    lockstep_precompiled_options(${target})
  endif()
endfunction()

# lockstep_share_precompiled(TARGET): the same for a library, with one precompiled header for all.
function(lockstep_share_precompiled target)
  if(LOCKSTEP_PRECOMPILED_HEADERS)
    if(NOT TARGET lockstep_standard_headers)
      set(empty ${PROJECT_BINARY_DIR}/standard_headers.cc)
      file(CONFIGURE OUTPUT ${empty} CONTENT "")
      add_library(lockstep_standard_headers OBJECT ${empty})
      lockstep_compile_options(lockstep_standard_headers)
      set_target_properties(lockstep_standard_headers PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_precompile_headers(lockstep_standard_headers PRIVATE ${LOCKSTEP_STANDARD_HEADERS})
      lockstep_precompiled_options(lockstep_standard_headers)
    endif()
    target_precompile_headers(${target} REUSE_FROM lockstep_standard_headers)
    lockstep_precompiled_options(${target})
  endif()
endfunction()

# The options that let ccache cache compilations that use a precompiled header.
function(lockstep_precompiled_options target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess> $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

set(LOCKSTEP_JOINED_FILES 30)

# lockstep_join(TARGET): compiles thirty files of a target at once, if LOCKSTEP_UNITY_BUILD is on: a full
# build then takes a third of the time. Names in a file's anonymous namespace must therefore be unique in its
# folder. A file must still include what it uses.
function(lockstep_join target)
  if(LOCKSTEP_UNITY_BUILD)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${LOCKSTEP_JOINED_FILES})
    # GCC warns of anonymous namespaces in included files as if these were headers. If it fills 2 GB before
    # its first garbage collection, it compiles thirty files in 0.9 of the time.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;--param=ggc-min-heapsize=2000000>)
  endif()
endfunction()

# lockstep_embed(TARGET NAMESPACE name HEADER file FILES name file...): text files as constants of a
# namespace, each a std::string_view of that name, declared in the header. Files of one name are joined.
function(lockstep_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE;HEADER" "FILES")
  set(names)
  set(code "// Made by lockstep_embed.\n#include \"${arg_HEADER}\"\n\nnamespace ${arg_NAMESPACE} {\n")
  while(arg_FILES)
    list(POP_FRONT arg_FILES name file)
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    list(APPEND names ${name})
    string(APPEND ${name} "\n    R\"embedded(${text})embedded\"")
  endwhile()
  list(REMOVE_DUPLICATES names)
  foreach(name ${names})
    string(APPEND code "\nconst std::string_view ${name} =${${name}};\n")
  endforeach()
  string(APPEND code "\n}  // namespace ${arg_NAMESPACE}\n")
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cc)
  file(CONFIGURE OUTPUT ${made} CONTENT "@code@" @ONLY)  # Untouched if nothing has changed.
  target_sources(${target} PRIVATE ${made})
endfunction()

# lockstep_install_package(): the files behind find_package(lockstep COMPONENTS ...).
function(lockstep_install_package)
  get_property(components GLOBAL PROPERTY LOCKSTEP_COMPONENTS)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/core/cmake/lockstep-config.cmake.in
    ${PROJECT_BINARY_DIR}/lockstep-config.cmake INSTALL_DESTINATION ${LOCKSTEP_PACKAGE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/lockstep-config-version.cmake
    COMPATIBILITY SameMinorVersion)  # Before 1.0 a minor version may break its users.
  set(files ${PROJECT_BINARY_DIR}/lockstep-config.cmake
            ${PROJECT_BINARY_DIR}/lockstep-config-version.cmake)
  if(LOCKSTEP_WITH_ZOOKEEPER)
    list(APPEND files ${PROJECT_SOURCE_DIR}/backends/zookeeper/cmake/FindZooKeeper.cmake)
  endif()
  install(FILES ${files} DESTINATION ${LOCKSTEP_PACKAGE_DIR} COMPONENT lockstep_development)
endfunction()

# lockstep_program(NAME SOURCES files... [LINKS targets...]): an executable in <build>/bin.
function(lockstep_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  add_executable(${name} ${arg_SOURCES})
  lockstep_compile_options(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# lockstep_helper_library(NAME [WHOLE] [JOINED] DIR folder INCLUDE root [DEFINES names...] [LINKS targets...])
# A library that tests and the program share and that is not installed. WHOLE: whatever links it gets all of
# its object files, even those that only register something and that no other file refers to. JOINED: it may
# be compiled by lockstep_join(), so that using one file may link others.
function(lockstep_helper_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE;JOINED" "DIR;INCLUDE" "DEFINES;LINKS")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${arg_DIR}/*.cc)
  set(archive ${name})
  if(arg_WHOLE)
    set(archive ${name}_archive)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE $<LINK_LIBRARY:WHOLE_ARCHIVE,${archive}>)
  endif()
  if(sources)
    set(scope PUBLIC)
    add_library(${archive} STATIC ${sources})
    set_target_properties(${archive} PROPERTIES
      OUTPUT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
    lockstep_compile_options(${archive})
    if(arg_WHOLE OR arg_JOINED)
      lockstep_join(${archive})
    endif()
    lockstep_precompile(${archive})
  else()
    set(scope INTERFACE)
    add_library(${archive} INTERFACE)
  endif()
  target_include_directories(${archive} ${scope} ${arg_INCLUDE})
  target_compile_definitions(${archive} ${scope} ${arg_DEFINES})
  target_link_libraries(${archive} ${scope} ${arg_LINKS})
endfunction()

# lockstep_test(NAME GLOB patterns... LABEL label [UNOPTIMIZED] [FIRST] [SERVER filter] [DEFINES names...]
#   [LINKS targets...] [PRECOMPILED headers...])
# One GoogleTest executable; every TEST becomes a ctest "label.Suite.Name". More than five files are
# joined. Tests whose name matches the GoogleTest patterns of SERVER talk to a real server and carry the label `server` too. Time limits are
# left to the call of ctest, since a long run needs longer ones. UNOPTIMIZED: the tests' own code, which
# then compiles in half the time; not for tests that search. FIRST: long tests, which ctest starts before
# the others, so that nothing waits for them at the end. PRECOMPILED: what nearly all of the tests include.
function(lockstep_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNOPTIMIZED;FIRST" "LABEL;SERVER" "GLOB;DEFINES;LINKS;PRECOMPILED")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_GLOB})
  if(NOT sources)
    add_custom_target(${name})  # So that a list of targets to build need not know.
    return()
  endif()
  add_executable(${name} ${sources})
  lockstep_compile_options(${name})
  if(arg_UNOPTIMIZED OR LOCKSTEP_UNOPTIMIZED_TESTS)
    target_compile_options(${name} PRIVATE -O0)
  endif()
  target_compile_definitions(${name} PRIVATE ${arg_DEFINES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gtest_main)
  list(LENGTH sources count)
  if(count GREATER 5)
    lockstep_join(${name})
  endif()
  lockstep_precompile(${name} <gtest/gtest.h> ${arg_PRECOMPILED})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

  # PRE_TEST: tests are listed when ctest runs, so a program that cannot start fails the tests
  # instead of the build.
  set(discover ${name} TEST_PREFIX ${arg_LABEL}. NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)
  set(properties PROPERTIES LABELS ${arg_LABEL})
  if(arg_FIRST)
    list(APPEND properties COST 1)
  endif()
  if(NOT arg_SERVER STREQUAL "*")
    if(arg_SERVER)
      set(others TEST_FILTER "-${arg_SERVER}")
    endif()
    gtest_discover_tests(${discover} ${others} ${properties})
  endif()
  if(arg_SERVER)
    gtest_discover_tests(${discover} TEST_FILTER "${arg_SERVER}" TEST_LIST ${name}_server ${properties})
    # gtest_discover_tests cannot pass a list, so the second label comes from a file ctest reads later.
    set(labels ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(WRITE ${labels}
      "foreach(test IN LISTS ${name}_server)\n"
      "  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${arg_LABEL};server\")\n"
      "endforeach()\n")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  endif()
endfunction()
