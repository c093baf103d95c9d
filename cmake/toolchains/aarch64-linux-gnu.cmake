# Builds for 64-bit Arm processors on another machine, with Debian's cross compiler:
#
#   cmake --preset release --toolchain cmake/toolchains/aarch64-linux-gnu.cmake -DCALQUE_SYSROOT=FOLDER
#
# FOLDER has the arm64 packages of what calque needs; tests/fresh_machine/arm64 makes one. The tests run
# under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CALQUE_SYSROOT "" CACHE PATH "The folder with the arm64 packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CALQUE_SYSROOT)
if(NOT IS_DIRECTORY "${CALQUE_SYSROOT}/usr/include")
  message(FATAL_ERROR "CALQUE_SYSROOT: no folder with arm64 packages: '${CALQUE_SYSROOT}'")
endif()
set(libraries ${CALQUE_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_SYSROOT ${CALQUE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CALQUE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${CALQUE_SYSROOT}/usr/share/pkgconfig)

# Debian's alternatives link to this folder, but a folder of packages has no alternatives.
set(CMAKE_CROSSCOMPILING_EMULATOR
    qemu-aarch64-static -L ${CALQUE_SYSROOT} -E LD_LIBRARY_PATH=${libraries}/openblas-openmp)
