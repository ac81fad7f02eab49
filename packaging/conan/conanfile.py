"""Builds the tree that contains this file:  conan create packaging/conan

With with_zookeeper, the backend uses the system's C client (libzookeeper-mt-dev).
"""
import pathlib
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

SOURCES = ("CMakeLists.txt", "LICENSE", "core/*", "fakezk/*", "backends/*", "property/*", "packaging/*")


class Lockstep(ConanFile):
    name = "lockstep"
    description = "Distributed locks for ZooKeeper, and the laboratory that proves them"
    license = "Apache-2.0"
    topics = ("zookeeper", "distributed-lock", "simulation", "coroutines")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "with_zookeeper": [True, False]}
    default_options = {"shared": False, "with_zookeeper": False, "boost/*:without_context": False}

    def _top(self):
        return pathlib.Path(self.recipe_folder).parent.parent

    def set_version(self):
        self.version = re.search(r"^ +VERSION ([0-9.]+)$", load(self, self._top() / "CMakeLists.txt"), re.M)[1]

    def export_sources(self):
        for pattern in SOURCES:
            copy(self, pattern, src=self._top(), dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 23)

    def requirements(self):
        self.requires("openssl/[>=3.0 <4]")
        self.requires("boost/[>=1.74 <2]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["LOCKSTEP_WITH_ZOOKEEPER"] = bool(self.options.with_zookeeper)
        toolchain.cache_variables["LOCKSTEP_BUILD_PROGRAM"] = False
        toolchain.cache_variables["LOCKSTEP_BUILD_TESTS"] = False
        # Do not depend on what happens to be installed on the build machine.
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_rapidcheck"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=pathlib.Path(self.package_folder) / "licenses")
        CMake(self).install()

    def package_info(self):
        # Consumers find the CMake package that the tree installs itself.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/lockstep"]
