/** The packages whose decoders are copied to dist/codecs. */
export const CODEC_PACKAGES: readonly string[];
