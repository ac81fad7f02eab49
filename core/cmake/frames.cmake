# Whether free coroutine frames are poisoned (internal/frame_pool.h). A build with the address sanitizer
# poisons them, so that it sees their use. The library and its users share the frames, so this is decided
# here for both, whatever flags a user compiles with. Flags that are not in these variables change nothing.
set(LOCKSTEP_POISON_FRAMES OFF)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-fsanitize=([^ ]*,)?address")
  set(LOCKSTEP_POISON_FRAMES ON)
  add_compile_definitions(LOCKSTEP_POISON_FRAMES)  # Everywhere, since targets share a precompiled header.
endif()

# lockstep_poison_frames(TARGET): tells who links the target.
function(lockstep_poison_frames target)
  if(LOCKSTEP_POISON_FRAMES)
    target_compile_definitions(${target} PUBLIC LOCKSTEP_POISON_FRAMES)
  endif()
endfunction()
