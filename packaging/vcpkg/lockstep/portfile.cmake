# An overlay port that builds the tree it is part of.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES zookeeper LOCKSTEP_WITH_ZOOKEEPER)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${features}
    -DLOCKSTEP_BUILD_PROGRAM=OFF
    -DLOCKSTEP_BUILD_TESTS=OFF
    -DCMAKE_DISABLE_FIND_PACKAGE_rapidcheck=ON  # Do not depend on what happens to be installed.
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/lockstep)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
