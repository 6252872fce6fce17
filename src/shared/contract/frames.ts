import { Type } from 'typebox';

/** Not only finite numbers: a window that is none is refused as `invalid_window`, and only a text as `invalid_query`. */
const WindowNumber = Type.Number({ 'x-non-finite': true });

const WindowMode = Type.Enum(['default', 'full_dynamic']);

export const DisplayFrameQuery = Type.Object({
  /** Window center and width, in modality units. Both or neither. */
  wc: Type.Optional(WindowNumber),
  ww: Type.Optional(WindowNumber),
  mode: Type.Optional(WindowMode),
  /**
   * `source`: the stored JPEG stream of a color frame, undecoded, where a browser makes the same picture of it; else the
   * PNG as usual. It goes through no window.
   */
  format: Type.Optional(Type.Enum(['png', 'source'], { default: 'png' })),
});

export const RawFrameQuery = Type.Object({
  /**
   * `predicted`: for thin links. Where the client takes gzip the answer comes so, and samples of up to 16 bits of a gray
   * frame as differences from what their neighbours predict; `X-Frame-Filter` then says so.
   */
  filter: Type.Optional(Type.Enum(['none', 'predicted'], { default: 'none' })),
});

export const ThumbnailQuery = Type.Object({
  wc: Type.Optional(WindowNumber),
  ww: Type.Optional(WindowNumber),
  mode: Type.Optional(WindowMode),
  /** Pixels of the longer edge. */
  size: Type.Optional(Type.Integer({ minimum: 16, maximum: 1024, default: 128 })),
});
