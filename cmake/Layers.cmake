# muster_layer(NAME PUBLIC headers... USES layers... EXTERNAL targets...)
#
# One folder of src/ is one layer is one target, muster_NAME, made of the folder's *.cpp. Its tests,
# *_test.cpp, become NAME_test. PUBLIC names the headers of include/muster/ that the layer owns,
# USES the layers that it may include, directly: the include check reads these lines, so they are
# the table.
include(GoogleTest)

function(muster_layer NAME)
  cmake_parse_arguments(ARG "" "" "PUBLIC;USES;EXTERNAL" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  add_library(muster_${NAME} STATIC ${sources})
  target_include_directories(muster_${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/include
                                                   ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM ARG_USES PREPEND muster_)
  target_link_libraries(muster_${NAME} PUBLIC ${ARG_USES} ${ARG_EXTERNAL} Threads::Threads)
  set_property(GLOBAL APPEND PROPERTY MUSTER_LAYERS muster_${NAME})

  if(MUSTER_TESTS AND tests)
    muster_test(${NAME}_test SOURCES ${tests} USES muster_${NAME})
  endif()
endfunction()

# muster_test(NAME SOURCES files... USES targets... [TIMEOUT seconds]): a GoogleTest program, one
# CTest entry for each of its tests.
set(MUSTER_SKIP_TESTS "" CACHE STRING "Test programs to leave out: what a sanitizer can't judge")
function(muster_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;USES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_USES} muster_paths GTest::gmock_main)
  if(NAME IN_LIST MUSTER_SKIP_TESTS)
    set_target_properties(${NAME} PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()
  gtest_discover_tests(${NAME} TEST_PREFIX ${NAME}. PROPERTIES TIMEOUT ${ARG_TIMEOUT}
                       DISCOVERY_TIMEOUT 60)
endfunction()

# The one file that is compiled with the paths of the tree and of the build.
if(MUSTER_TESTS)
  add_library(muster_paths STATIC ${PROJECT_SOURCE_DIR}/tests/paths/paths.cpp)
  target_include_directories(muster_paths PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(muster_paths
                             PRIVATE MUSTER_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                     MUSTER_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
endif()
