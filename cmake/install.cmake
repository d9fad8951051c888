# What goes where: libraries, headers, pkg-config, CMake package, program, manual, data, documents.
include(CMakePackageConfigHelpers)

set(PAL_LIBRARIES palpate palpate-io palpate-direct)
set(PAL_PROGRAMS palpate-cli palpate-bench)
foreach(kind PAL_LIBRARIES PAL_PROGRAMS)
  foreach(target ${${kind}})
    if(NOT TARGET ${target})
      list(REMOVE_ITEM ${kind} ${target})
    endif()
  endforeach()
endforeach()
set_target_properties(${PAL_LIBRARIES} PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
if(BUILD_SHARED_LIBS)
  file(RELATIVE_PATH lib_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(${PAL_LIBRARIES} PROPERTIES INSTALL_RPATH "$ORIGIN")
  if(PAL_PROGRAMS)
    set_target_properties(${PAL_PROGRAMS} PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_from_bin}")
  endif()
endif()

set(PAL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/palpate)
install(TARGETS ${PAL_LIBRARIES} EXPORT palpateTargets)
install(EXPORT palpateTargets NAMESPACE palpate:: DESTINATION ${PAL_CMAKE_DIR})
configure_package_config_file(cmake/palpateConfig.cmake.in
  ${PROJECT_BINARY_DIR}/palpateConfig.cmake INSTALL_DESTINATION ${PAL_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/palpateConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES cmake/dependencies.cmake ${PROJECT_BINARY_DIR}/palpateConfig.cmake
  ${PROJECT_BINARY_DIR}/palpateConfigVersion.cmake DESTINATION ${PAL_CMAKE_DIR})

# The prefix is found from the .pc file's own place, so an installed tree can be moved.
file(RELATIVE_PATH PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" PC_TO_PREFIX "${PC_TO_PREFIX}")
if(NOT BUILD_SHARED_LIBS)
  set(PC_STATIC_LIBS "-pthread -lm")
  set(PC_DIRECT_LIBS "-ldmumps_seq -lmetis")
  set(PC_STATIC_REQUIRES "libfyaml zlib")
endif()
foreach(name ${PAL_LIBRARIES})
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(DIRECTORY include/palpate DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(PAL_PROGRAMS)
  install(TARGETS ${PAL_PROGRAMS})
endif()

install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/palpate OPTIONAL)
# As in the repository, so that links between them hold.
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL
  PATTERN "man" EXCLUDE PATTERN "completions" EXCLUDE)
install(FILES docs/man/palpate.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES docs/completions/palpate.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME palpate)
install(FILES docs/completions/_palpate DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES README.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
