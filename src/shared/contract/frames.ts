import { Type } from 'typebox';

/** Any number is read, also one out of bounds, NaN and Infinity: the route refuses it in words of its own. */
export const JUDGED_BY_ROUTE = 'x-judged-by-route';

/** A window that is none is refused as `invalid_window`, and only a text as `invalid_query`. */
const WindowCenter = Type.Number({ [JUDGED_BY_ROUTE]: true });
const WindowWidth = Type.Number({ exclusiveMinimum: 0, [JUDGED_BY_ROUTE]: true });

const WindowMode = Type.Enum(['default', 'full_dynamic']);

/** Parameters that would change the answer if they were understood, and why they are refused. */
export const REFUSED_PARAMETERS = 'x-refused-parameters';

/** dcmview draws windows in the unit of a real-world mapping. Drawing the file's own window instead would look like one. */
const NO_UNIT = {
  [REFUSED_PARAMETERS]: {
    unit: 'windows are in modality units here; value-mapping says how to map a window from the unit of a mapping',
  },
};

export const DisplayFrameQuery = Type.Object(
  {
    /** Window center and width, in modality units. Both or neither. */
    wc: Type.Optional(WindowCenter),
    ww: Type.Optional(WindowWidth),
    mode: Type.Optional(WindowMode),
    /**
     * `source`: the stored JPEG stream of a color frame, undecoded, where a browser makes the same picture of it; else the
     * PNG as usual. It goes through no window.
     */
    format: Type.Optional(Type.Enum(['png', 'source'], { default: 'png' })),
    /** For the many windows of a drag: a picture that is not kept is made for this request alone, and not kept. */
    preview: Type.Optional(Type.Boolean({ default: false })),
  },
  NO_UNIT,
);

export const RawFrameQuery = Type.Object({
  /**
   * `predicted`: for thin links. Where the client takes gzip the answer comes so, and samples of up to 16 bits of a gray
   * frame as differences from what their neighbours predict; `X-Frame-Filter` then says so.
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
    /** Pixels of the longer edge. */
    size: Type.Optional(Type.Integer({ minimum: 16, maximum: 1024, default: 128 })),
  },
  NO_UNIT,
);
