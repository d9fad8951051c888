# The scene reference as a C source, so that the program can quote it without files.
set(PAL_REFERENCE_PAGE ${PROJECT_SOURCE_DIR}/docs/scene-reference.md)
set(PAL_REFERENCE_SOURCE ${PROJECT_BINARY_DIR}/scene_reference.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PAL_REFERENCE_PAGE})
file(READ ${PAL_REFERENCE_PAGE} bytes HEX)
string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
file(CONFIGURE OUTPUT ${PAL_REFERENCE_SOURCE} CONTENT
"extern const char pal_cli_reference[];
const char pal_cli_reference[] = {@bytes@0};
" @ONLY)
