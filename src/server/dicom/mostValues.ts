/**
 * How many values are read of elements that the standard allows any number of. They are bounds of the product, far beyond
 * what a user has a use for; a caller that shows a list says where it was cut.
 */
export const MOST_VALUES = {
  /** Window Center, Window Width and their explanations: a user chooses one of them. */
  windows: 256,
  /** Image Type: the standard names four, makers a dozen. */
  imageType: 32,
  /** Dimension Index Values: one for each dimension of an object. */
  dimensions: 64,
  /** Numbers of frames or segments in one reference, and times or offsets of frames. */
  frames: 65_536,
  /** Row and column of each corner of a polygonal shutter. */
  corners: 8192,
  /** Folders and name of a file on a medium; the standard allows eight. PS3.10 8.2. */
  fileId: 16,
} as const;

/** How many bytes are read of values that are not numbers one by one. */
export const MOST_BYTES = {
  /** A table has 65,536 entries of two bytes at most. */
  lookupTable: 2 * 65_536,
  /** Segments that describe such a table, which is seldom longer than the table itself. */
  segmentedTable: 1024 * 1024,
  /** Profiles with large tables have two megabytes. */
  iccProfile: 8 * 1024 * 1024,
} as const;
