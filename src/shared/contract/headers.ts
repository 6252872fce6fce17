/** Names of the response headers that are part of the contract, as used by the contract and the viewer. */
export const HEADER = {
  serverInstance: 'X-Server-Instance',
  cache: 'X-Cache',
  windowCenter: 'X-Frame-Window-Center',
  windowWidth: 'X-Frame-Window-Width',
  windowApplied: 'X-Frame-Window-Applied',
  rows: 'X-Frame-Rows',
  columns: 'X-Frame-Columns',
  bitsAllocated: 'X-Frame-Bits-Allocated',
  pixelRepresentation: 'X-Frame-Pixel-Representation',
  samplesPerPixel: 'X-Frame-Samples-Per-Pixel',
  photometricInterpretation: 'X-Frame-Photometric-Interpretation',
  rescaleSlope: 'X-Frame-Rescale-Slope',
  rescaleIntercept: 'X-Frame-Rescale-Intercept',
  defaultWindowCenter: 'X-Frame-Default-Wc',
  defaultWindowWidth: 'X-Frame-Default-Ww',
  paddingLow: 'X-Frame-Padding-Low',
  paddingHigh: 'X-Frame-Padding-High',
  sampleKind: 'X-Frame-Sample-Kind',
  voiLutFunction: 'X-Frame-Voi-Lut-Function',
  presentation: 'X-Frame-Presentation',
  filter: 'X-Frame-Filter',
  annotationDurability: 'X-Annotation-Durability',
  /** Only for a frame with missing data: see `formatFrameDamage`. */
  damage: 'X-Frame-Damage',
  /** Only for a frame with samples outside the range of Bits Stored: how many, before they were limited or masked. */
  outOfRange: 'X-Frame-Out-Of-Range',
  /** The plane that was sampled, as in the request. */
  planePosition: 'X-Plane-Position',
  planeOrientation: 'X-Plane-Orientation',
  planeSpacing: 'X-Plane-Spacing',
  /** Thickness, projection and number of sheets, such as `20;max;29`. */
  planeSlab: 'X-Plane-Slab',
  /** `stored`: every sample is one of the volume; else `nearest` or `linear`. */
  planeSampling: 'X-Plane-Sampling',
  /** How many of the slices that the plane needs were used, such as `600/600`. */
  planePlaces: 'X-Plane-Places',
  /** The samples that were read: the first, and the end without it. */
  waveformFrom: 'X-Waveform-From',
  waveformTo: 'X-Waveform-To',
  /** Values of each channel in the answer. */
  waveformValues: 'X-Waveform-Values',
  /** `samples`: every sample. `min_max`: the lowest and the highest value of equal parts, in turn. */
  waveformForm: 'X-Waveform-Form',
  /** Of a video, as its stream says it: the codec in the form of RFC 6381, and its frames. */
  videoCodec: 'X-Video-Codec',
  videoFrames: 'X-Video-Frames',
  videoFrameTime: 'X-Video-Frame-Time',
  /** Of a sheet: pictures in a row, and what each shows, as `file/frame` or as `file@plane+mm`, in order. */
  sheetColumns: 'X-Sheet-Columns',
  sheetTiles: 'X-Sheet-Tiles',
  /** Pictures of a sheet that are damaged or missing, by number from 0 with the code, such as `3:pixel_decode_failed`. */
  sheetProblems: 'X-Sheet-Problems',
  /** What lies over the pictures and is not drawn, such as `layer 7: layer_too_large`. */
  sheetLeftOut: 'X-Sheet-Left-Out',
  meshPoints: 'X-Mesh-Points',
  meshTriangles: 'X-Mesh-Triangles',
  /** What the format cannot hold of the marks that were asked for, such as `length on a frame: 3`. */
  marksLeftOut: 'X-Marks-Left-Out',
  /** What a label volume lacks of what was asked for. */
  labelsLeftOut: 'X-Labels-Left-Out',
} as const;

/** Value of `sampleKind`. */
export type RawSampleKind = 'integer' | 'float';

/**
 * Value of `presentation`: whether the samples with their rescale, padding and a window give the same picture as the
 * server. `server_default`: with an explicit window they do, but the file's own VOI is a lookup table. `server`: never,
 * because color, a modality lookup table, an overlay or a shutter is involved.
 */
export type RawPresentation = 'raw' | 'server_default' | 'server';

/**
 * With this in `Prefer` (RFC 7240), such a failure is answered with 200 and the same body, and with
 * `Preference-Applied`. It is meant for pages, because browsers log every other status in the console as an error of
 * the page.
 */
export const FAILURE_IN_BODY = 'failure=body';

/**
 * With this in `Prefer` (RFC 7240), a busy server tries again itself, for up to as many seconds, before it refuses a
 * request to read. It is meant for pages, which would ask again anyway.
 */
export const WAITS_WHILE_BUSY = 'wait=60';
