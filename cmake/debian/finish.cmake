# Run by cpack when the files of each package are in place: adds what Debian wants of a package
# beside what `cmake --install` puts there. The folder of each component is a package's root.
set(packages library ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME}
             dev ${CPACK_DEBIAN_DEV_PACKAGE_NAME}
             tool ${CPACK_DEBIAN_TOOL_PACKAGE_NAME})
if(";${CPACK_COMPONENTS_ALL};" MATCHES ";mpi;")
  list(APPEND packages mpi ${CPACK_DEBIAN_MPI_PACKAGE_NAME})
endif()
while(packages)
  list(POP_FRONT packages component name)
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
  set(share ${root}/usr/share)
  set(doc ${share}/doc/${name})
  if(component STREQUAL dev)
    # Each package has a documentation folder of its own name; LICENSE is in copyright.
    file(RENAME ${share}/doc/muster ${doc})
    file(REMOVE ${doc}/LICENSE ${doc}/CHANGELOG.md)
  endif()
  file(COPY ${CPACK_MUSTER_DEBIAN_DIR}/copyright ${CPACK_MUSTER_CHANGELOG} DESTINATION ${doc}
       FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
  file(GLOB pages ${share}/man/man1/*.1)
  execute_process(COMMAND gzip -9 -n ${doc}/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
  # Folders have the mode that the packer's umask gave them.
  execute_process(COMMAND find ${root} -type d -exec chmod 755 {} + COMMAND_ERROR_IS_FATAL ANY)
endwhile()
