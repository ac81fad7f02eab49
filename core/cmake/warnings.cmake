# Compilers, language and warnings, in one function for every target of this tree.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "lockstep needs GCC 12 or newer, this is ${CMAKE_CXX_COMPILER_VERSION}")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  # Clang before 19 cannot compile the std::expected of libstdc++ 12.
  message(FATAL_ERROR "lockstep needs Clang 19 or newer, this is ${CMAKE_CXX_COMPILER_VERSION}")
endif()

if(PROJECT_IS_TOP_LEVEL)
  # Only CMake's own defaults are replaced. -O2 is what is measured and tested; NDEBUG stays undefined,
  # so that an assert means the same in every build.
  if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_CXX_FLAGS_RELEASE "-O2")
  endif()
  if(CMAKE_CXX_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG")
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release)
  endif()

  find_program(LOCKSTEP_CCACHE ccache)
  mark_as_advanced(LOCKSTEP_CCACHE)
  if(LOCKSTEP_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # ccache requires this sloppiness before it caches compilations that use a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ${LOCKSTEP_CCACHE})
  endif()
endif()

function(lockstep_compile_options target)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_compile_features(${target} PRIVATE cxx_std_23)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Woverloaded-virtual
    -Wold-style-cast -Wcast-qual -Wextra-semi -Wimplicit-fallthrough
    # In Clang, -Wconversion includes this one and in GCC it does not. Both must accept the same code,
    # and -Wsign-compare (in -Wextra) already catches the comparisons that go wrong.
    -Wno-sign-conversion
    # A fused multiply-add rounds once instead of twice: equal seeds would differ between machines.
    -ffp-contract=off
    # Keeps the path of the checkout out of assertion messages and of the installed libraries.
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wduplicated-cond -Wlogical-op)
    # Position-independent code may inline its own functions, as Clang does anyway.
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # GCC 12 reports overlapping copies inside std::string's own operator+ (GCC bug 105651).
      target_compile_options(${target} PRIVATE -Wno-restrict)
    endif()
    if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
      # GCC's manual: sanitizer instrumentation makes this one guess wrong.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # GCC's version also rejects a protected destructor in a class that has a friend, which is safe.
    target_compile_options(${target} PRIVATE -Wnon-virtual-dtor)
  endif()
  if(PROJECT_IS_TOP_LEVEL)  # A newer compiler of somebody else must not break somebody else's build.
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
