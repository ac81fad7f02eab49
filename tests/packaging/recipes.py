#!/usr/bin/env python3
"""Checks the vcpkg port and the Conan recipe as far as possible without vcpkg and Conan.

Replaces their functions by ones that only configure. The recipes' names, options, files and versions must
be those of this tree, and the sources that they copy must be enough for CMake. With --build, also builds
and installs both packages, and builds and runs the Conan recipe's consumer against each.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

TOP = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"^ +VERSION ([0-9.]+)$", (TOP / "CMakeLists.txt").read_text(), re.M)[1]

VCPKG_STAND_INS = """
cmake_minimum_required(VERSION 3.25)
set(CURRENT_PORT_DIR "{port}")
set(CURRENT_PACKAGES_DIR "{scratch}/package")
function(vcpkg_check_features)
  cmake_parse_arguments(arg "" OUT_FEATURE_OPTIONS FEATURES ${{ARGN}})
  list(POP_FRONT arg_FEATURES feature option)
  if(NOT feature STREQUAL "zookeeper")
    message(FATAL_ERROR "vcpkg.json has no feature ${{feature}}")
  endif()
  set(${{arg_OUT_FEATURE_OPTIONS}} -D${{option}}=OFF PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(arg "" SOURCE_PATH OPTIONS ${{ARGN}})
  execute_process(COMMAND ${{CMAKE_COMMAND}} -G Ninja -S ${{arg_SOURCE_PATH}} -B {scratch}/vcpkg ${{arg_OPTIONS}}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(arg "" CONFIG_PATH "" ${{ARGN}})
  file(READ {scratch}/vcpkg/cmake_install.cmake installs)
  string(FIND "${{installs}}" "/${{arg_CONFIG_PATH}}\\"" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "nothing is installed to ${{arg_CONFIG_PATH}}")
  endif()
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(arg "" "" FILE_LIST ${{ARGN}})
  file(READ ${{arg_FILE_LIST}} licence)
endfunction()
foreach(name vcpkg_cmake_install vcpkg_fixup_pkgconfig)
  cmake_language(EVAL CODE "function(${{name}})\\nendfunction()")
endforeach()
include({port}/portfile.cmake)
"""


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"FAILED: {what} is {found!r}, not {expected!r}")


def run(*command):
    """Runs a command; ends the check if it fails, or if CMake does not know an option."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode or "not used by the project" in said:
        sys.exit(f"{said}\nFAILED: {command}")


def follow_vcpkg_port(scratch):
    port = TOP / "packaging/vcpkg/lockstep"
    manifest = json.loads((port / "vcpkg.json").read_text())
    expect("the port's name", manifest["name"], port.name)
    expect("the port's version", manifest["version"], VERSION)
    expect("the port's features", list(manifest["features"]), ["zookeeper"])
    script = scratch / "port.cmake"
    script.write_text(VCPKG_STAND_INS.format(port=port, scratch=scratch))
    run("cmake", "-P", script)


# vcpkg and Conan pass these to CMake for a release.
OF_PACKAGES = ("-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF")


def build_and_consume(build, prefix):
    # Joined files take a third of the time.
    run("cmake", *OF_PACKAGES, "-DLOCKSTEP_UNITY_BUILD=ON", build)
    run("cmake", "--build", build, "--parallel", os.cpu_count())
    run("cmake", "--install", build, "--prefix", prefix)
    consumer = prefix.with_name(f"{prefix.name}-consumer")
    run("cmake", "-G", "Ninja", "-S", TOP / "packaging/conan/test_package", "-B", consumer, "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", consumer)
    run(consumer / "lock_under_test")
    print(f"the consumer of {prefix.name} works")


def copy_in(_recipe, pattern, src, dst):
    """Replaces conan.tools.files.copy; a pattern without a file is an error here."""
    files = [file for file in pathlib.Path(src).glob(pattern.replace("*", "**/*")) if file.is_file()]
    if not files:
        sys.exit(f"FAILED: the recipe takes {pattern}, and there is none")
    for file in files:
        to = pathlib.Path(dst) / file.relative_to(src)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(file.read_bytes())


class Toolchain:
    """Replaces CMakeToolchain, and keeps what the recipe passes to CMake."""

    made = None

    def __init__(self, _recipe):
        self.cache_variables = {}
        Toolchain.made = self

    def generate(self):
        pass


def module(name, **contents):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(contents)


def load_recipe(file):
    """Returns the recipe's class, with replacements for its imports from Conan."""

    def nothing(*_arguments, **_options):
        return types.SimpleNamespace(generate=lambda: None)

    module("conan", ConanFile=type("ConanFile", (), {"requires": nothing}))
    module("conan.tools")
    module("conan.tools.build", check_min_cppstd=nothing, can_run=nothing)
    module("conan.tools.cmake", CMake=nothing, CMakeDeps=nothing, CMakeToolchain=Toolchain, cmake_layout=nothing)
    module("conan.tools.files", copy=copy_in, load=lambda _recipe, path: pathlib.Path(path).read_text())
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names


def follow_conan_recipe(scratch):
    folder = TOP / "packaging/conan"
    recipe = load_recipe(folder / "conanfile.py")["Lockstep"]()
    recipe.recipe_folder = str(folder)
    recipe.options = types.SimpleNamespace(with_zookeeper=False)
    recipe.export_sources_folder = str(scratch / "exported")
    recipe.set_version()
    expect("the recipe's version", recipe.version, VERSION)
    recipe.export_sources()
    recipe.requirements()
    recipe.generate()
    variables = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in Toolchain.made.cache_variables.items()]
    run("cmake", "-G", "Ninja", "-S", scratch / "exported", "-B", scratch / "conan", *variables)

    consumer = folder / "test_package"
    load_recipe(consumer / "conanfile.py")["Consumer"]
    for file in re.findall(r"[.\w/]+\.cc", (consumer / "CMakeLists.txt").read_text()):
        if not (consumer / file).exists():
            sys.exit(f"FAILED: the consumer of the Conan recipe names {file}, and there is none")


def main():
    if sys.argv[1:] not in ([], ["--build"]):
        sys.exit("usage: recipes.py [--build]")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        follow_vcpkg_port(scratch)
        follow_conan_recipe(scratch)
        if sys.argv[1:]:
            build_and_consume(scratch / "vcpkg", scratch / "package-of-vcpkg")
            build_and_consume(scratch / "conan", scratch / "package-of-conan")
    print("the recipes fit the tree; neither vcpkg nor Conan has run")


if __name__ == "__main__":
    main()
