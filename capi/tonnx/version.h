#ifndef TONNX_VERSION_H
#define TONNX_VERSION_H

/* The version of these headers. The build reads it from here. */
#define TONNX_VERSION_MAJOR 0
#define TONNX_VERSION_MINOR 1
#define TONNX_VERSION_PATCH 0

#endif
