/**
 * Maximum number of values that are read from elements for which the standard sets no limit. These are limits of this
 * program, far beyond practical use; a caller that shows a list states where it was cut.
 */
export const MOST_VALUES = {
  /** Window Center, Window Width and their explanations: the user selects one of them. */
  windows: 256,
  /** Image Type: the standard names four values, manufacturers use a dozen. */
  imageType: 32,
  /** Dimension Index Values: one for each dimension of an object. */
  dimensions: 64,
  /** Frame or segment numbers in one reference, and times or offsets of frames. */
  frames: 65_536,
  /** Row and column of each vertex of a polygonal shutter. */
  corners: 8192,
  /** Dose and volume of each bin of a stored dose-volume histogram: up to a hundred Gray in steps of a hundredth. */
  histogram: 2 * 65_536,
  /** Folders and name of a file on a medium; the standard allows eight components. PS3.10 8.2. */
  fileId: 16,
} as const;

/** Maximum number of bytes that are read from values that are not read as individual numbers. */
export const MOST_BYTES = {
  /** A table has at most 65,536 entries of two bytes. */
  lookupTable: 2 * 65_536,
  /** Segments that describe such a table, and are seldom longer than the table itself. */
  segmentedTable: 1024 * 1024,
  /** Profiles with large tables take two megabytes. */
  iccProfile: 8 * 1024 * 1024,
} as const;
