import { Type } from './schema.ts';

/** Accepts any number, including out-of-range numbers, NaN and Infinity: the route rejects it with its own message. */
export const JUDGED_BY_ROUTE = 'x-judged-by-route';

/** An invalid window is rejected as `invalid_window`; only text that is not a number is `invalid_query`. */
const WindowCenter = Type.Number({ [JUDGED_BY_ROUTE]: true });
const WindowWidth = Type.Number({ exclusiveMinimum: 0, [JUDGED_BY_ROUTE]: true });

const WindowMode = Type.Enum(['default', 'full_dynamic']);

/** Parameters that would change the response if they were supported, and why they are rejected. */
export const REFUSED_PARAMETERS = 'x-refused-parameters';

/**
 * dcmview draws windows in the unit of a real-world mapping. Ignoring the unit would draw a different window unnoticed.
 */
const NO_UNIT = {
  [REFUSED_PARAMETERS]: {
    unit: 'windows must be in modality units; value-mapping describes how to convert one from the unit of a mapping',
  },
};

export const DisplayFrameQuery = Type.Object(
  {
    /** Window center and width, in modality units. Both or neither. */
    wc: Type.Optional(WindowCenter),
    ww: Type.Optional(WindowWidth),
    mode: Type.Optional(WindowMode),
    /**
     * `source`: the stored JPEG stream of a color frame, undecoded, if a browser renders the same picture from it; else
     * the PNG as usual. No window is applied to it.
     */
    format: Type.Optional(Type.Enum(['png', 'source'], { default: 'png' })),
    /**
     * For the many windows of a drag: a picture that is not cached is made for this request only, and is not cached.
     */
    preview: Type.Optional(Type.Boolean({ default: false })),
    /**
     * The index of a presentation state that names the frame. It decides modality, VOI and presentation LUT, shutters
     * and overlays in place of the image. `wc` and `ww` replace its window. Displayed area, rotation, flip and graphics
     * are left to the client.
     */
    presentation: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  NO_UNIT,
);

export const RawFrameQuery = Type.Object({
  /**
   * `predicted`: for slow links. If the client accepts gzip, the response is gzipped, and gray samples of up to 16 bits
   * are sent as differences from the prediction by their neighbours, which `X-Frame-Filter` then states.
   */
  filter: Type.Optional(Type.Enum(['none', 'predicted'], { default: 'none' })),
});

export const RawPixelQuery = Type.Object({
  row: Type.Integer({ minimum: 0 }),
  column: Type.Integer({ minimum: 0 }),
});

export const ThumbnailQuery = Type.Object(
  {
    wc: Type.Optional(WindowCenter),
    ww: Type.Optional(WindowWidth),
    mode: Type.Optional(WindowMode),
    /** Length of the longer edge in pixels. */
    size: Type.Optional(Type.Integer({ minimum: 16, maximum: 1024, default: 128 })),
  },
  NO_UNIT,
);
