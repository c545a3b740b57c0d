# SPDX-License-Identifier: Apache-2.0
# `cpack --config BUILD/CPackConfig.cmake` makes hardrun_VERSION_ARCHITECTURE.deb in the current folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME hardrun)
set(CPACK_PACKAGE_VENDOR "hardrun")
set(CPACK_PACKAGE_CONTACT "The hardrun authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "hardened OCI container runtime")
set(CPACK_PACKAGE_DESCRIPTION
  "A container runtime for code that nobody has read, in place of runc under Docker,
containerd, podman and CRI-O: no network, no capabilities and a read-only root file system unless a
profile grants them. hardrun-compat does what runc does.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Only hardrun-systemd is linked dynamically; its libraries are the package's dependencies.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS OFF)

install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
include(CPack)
