# The library proper: every layer in one shared and one static library. Only what is marked
# MUSTER_API can be seen from outside.
get_property(layers GLOBAL PROPERTY MUSTER_LAYERS)
set(objects)
foreach(layer IN LISTS layers)
  list(APPEND objects $<TARGET_OBJECTS:${layer}>)
endforeach()

add_library(muster SHARED ${objects})
add_library(muster_static STATIC ${objects})
set_target_properties(muster PROPERTIES VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX
                                        SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(muster_static PROPERTIES OUTPUT_NAME muster LINKER_LANGUAGE CXX
                                               EXPORT_NAME static)
foreach(library muster muster_static)
  target_include_directories(${library} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_link_libraries(${library} PRIVATE PkgConfig::LIBUV OpenSSL::SSL OpenSSL::Crypto
                                           fmt::fmt
                                           Threads::Threads ${CMAKE_DL_LIBS})
endforeach()
add_library(muster::muster ALIAS muster)
add_library(muster::static ALIAS muster_static)
