# What `cpack -G DEB` packs: libmuster0, libmuster-dev, muster, and muster-mpi if there is an MPI,
# for the Debian that it runs on.
set(CPACK_PACKAGE_NAME muster)
set(CPACK_PACKAGE_VENDOR "The Muster authors")
set(CPACK_PACKAGE_CONTACT "The Muster authors <maintainers@muster.invalid>" CACHE STRING
    "Whom users of the packages write to")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library dev tool)
get_property(mpi_plugins GLOBAL PROPERTY MUSTER_PLUGINS_mpi)
if(mpi_plugins)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Before 1.0 any version may break what was built against another.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")

# Each package has a summary of its own; this one would stand before it.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(about "Muster brings the processes of a distributed job together, lets them agree, keeps them
honest while they run, and dismisses them in order.")
function(debian_package COMPONENT NAME SECTION SUMMARY TEXT)
  string(TOUPPER ${COMPONENT} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${NAME} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${SECTION} PARENT_SCOPE)
  # The first line is the summary.
  set(CPACK_COMPONENT_${component}_DESCRIPTION "${SUMMARY}\n${about}\n\n${TEXT}" PARENT_SCOPE)
endfunction()
debian_package(library libmuster${PROJECT_VERSION_MAJOR} libs
               "bootstrap of distributed jobs: the shared library"
               "This package holds the library that programs are linked with.")
debian_package(dev libmuster-dev libdevel
               "bootstrap of distributed jobs: what it takes to build programs"
               "This package holds headers, the static library, CMake and pkg-config files.")
debian_package(tool muster utils
               "bootstrap of distributed jobs: the command line"
               "This package holds the commands that start, serve and look into jobs.")
debian_package(mpi muster-mpi libs
               "bootstrap of distributed jobs: MPI plugins"
               "This package holds the plugins by which the ranks of MPI jobs find each other, one
for each MPI; each needs the MPI that it is named after.")
# The exact library: its file is what the link in this package points to. The rest is what static
# programs are linked with.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libmuster${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}), \
libuv1-dev (>= 1.44), libssl-dev (>= 3.0), libfmt-dev (>= 9)")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_MUSTER_DEBIAN_DIR ${PROJECT_SOURCE_DIR}/cmake/debian)
set(CPACK_MUSTER_CHANGELOG ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
include(CPack)
