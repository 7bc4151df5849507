# What `cmake --install` puts where. Components: `library` is what programs need to run, `dev` what
# it takes to build them, `tool` the command line. Nothing that is installed holds a path of this
# build or of the prefix, so that an installed tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS muster EXPORT muster-shared
        LIBRARY COMPONENT library NAMELINK_COMPONENT dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS muster_static EXPORT muster-static
        ARCHIVE COMPONENT dev
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/muster TYPE INCLUDE COMPONENT dev)

# Where the library looks for them: beside itself. Those that need an MPI are a component of their
# own, `mpi`, which is there if one of them was built.
foreach(component library mpi)
  get_property(plugins GLOBAL PROPERTY MUSTER_PLUGINS_${component})
  if(plugins)
    install(TARGETS ${plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/muster
            COMPONENT ${component})
  endif()
endforeach()

install(TARGETS muster_cli RUNTIME COMPONENT tool)
install(FILES ${MUSTER_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tool)

install(FILES LICENSE README.md CHANGELOG.md TYPE DOC COMPONENT dev)
install(DIRECTORY docs TYPE DOC COMPONENT dev)
install(DIRECTORY examples TYPE DOC COMPONENT dev FILES_MATCHING PATTERN "*.cpp"
        PATTERN "*.c")

# For find_package().
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/muster)
foreach(kind shared static)
  install(EXPORT muster-${kind} FILE muster-targets-${kind}.cmake NAMESPACE muster::
          DESTINATION ${package_dir} COMPONENT dev)
endforeach()
configure_package_config_file(cmake/muster-config.cmake.in ${CMAKE_BINARY_DIR}/muster-config.cmake
                              INSTALL_DESTINATION ${package_dir}
                              NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break things.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/muster-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/muster-config.cmake
              ${CMAKE_BINARY_DIR}/muster-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# For pkg-config: the prefix is where the file finds itself.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}/${pc_dir}
           OUTPUT_VARIABLE pc_to_prefix)
configure_file(cmake/muster.pc.in ${CMAKE_BINARY_DIR}/muster.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/muster.pc DESTINATION ${pc_dir} COMPONENT dev)
