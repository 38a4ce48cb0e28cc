#ifndef TONNX_BUFFER_H
#define TONNX_BUFFER_H

#include "tonnx/base.h"

TONNX_BEGIN_DECLS

/* Bytes returned by a call. They may contain NUL and may exceed 2 GiB. A NUL byte follows the last byte. */
TONNX_API const void *TONNX_CALL tonnx_buffer_data(const tonnx_buffer *buffer);
TONNX_API size_t TONNX_CALL tonnx_buffer_size(const tonnx_buffer *buffer);
TONNX_API void TONNX_CALL tonnx_buffer_free(tonnx_buffer *buffer);

TONNX_END_DECLS

#endif
