/**
 * For servers whose memory is measured. By default, the GNU C library keeps freed memory for later use, and keeps more
 * of it the larger the blocks that were freed before.
 */
export const RETURN_FREED_MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
