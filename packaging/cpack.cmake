# cpack reads this file before it makes packages. CMake itself only prints a note when it finds no
# dpkg-shlibdeps, and makes a package that depends on nothing.
foreach(tool file dpkg-shlibdeps)
  find_program(found_${tool} ${tool})
  if(NOT found_${tool})
    message(FATAL_ERROR "Debian packages need ${tool}: apt-get install file dpkg-dev")
  endif()
endforeach()
