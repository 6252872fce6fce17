/**
 * For a server whose memory is measured. By itself the GNU C library keeps what was freed for later, the more of it the
 * larger the blocks are that were freed before.
 */
export const RETURN_FREED_MEMORY = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
