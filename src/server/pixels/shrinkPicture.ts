type Picture = {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
};

/** Beyond this ratio the attribute is damage, not the shape of a pixel. */
const LARGEST_RATIO = 64;

/**
 * Makes the longer edge at most `size` pixels, each the mean of the ones that it covers. The result has square pixels:
 * where the picture's own are not (`pixelAspectRatio` is height over width), the edge that shows too long shrinks more.
 * No edge grows.
 */
export function shrinkPicture(picture: Picture, size: number, pixelAspectRatio = 1): Picture {
  const { rows, columns } = fitSize(picture, size, pixelAspectRatio);
  if (rows === picture.rows && columns === picture.columns) return picture;
  const { channels } = picture;
  const pixels = new Uint8Array(rows * columns * channels);
  for (let row = 0; row < rows; row++) {
    const vertical = coveredBy(row, rows, picture.rows);
    for (let column = 0; column < columns; column++) {
      const horizontal = coveredBy(column, columns, picture.columns);
      for (let channel = 0; channel < channels; channel++) {
        pixels[(row * columns + column) * channels + channel] = mean(picture, vertical, horizontal, channel);
      }
    }
  }
  return { rows, columns, channels, pixels };
}

/** The longer edge of a picture that is surely large enough to be shrunk to `size`. */
export function enoughForSize(size: number, pixelAspectRatio = 1): number {
  return isShape(pixelAspectRatio) ? Math.ceil(size * Math.max(pixelAspectRatio, 1 / pixelAspectRatio)) : size;
}

function isShape(ratio: number): boolean {
  return ratio > 1 / LARGEST_RATIO && ratio < LARGEST_RATIO;
}

function fitSize({ rows, columns }: Picture, size: number, ratio: number): { rows: number; columns: number } {
  // In units in which neither edge has more of them than it has pixels.
  const height = isShape(ratio) && ratio < 1 ? rows * ratio : rows;
  const width = isShape(ratio) && ratio > 1 ? columns / ratio : columns;
  const scale = Math.min(1, size / Math.max(height, width));
  return { rows: Math.max(1, Math.round(height * scale)), columns: Math.max(1, Math.round(width * scale)) };
}

type Stretch = readonly [from: number, to: number];

/** The stretch of `length` pixels that number `position` of `count` stands for; neighbours share no pixel. */
function coveredBy(position: number, count: number, length: number): Stretch {
  return [Math.floor((position * length) / count), Math.floor(((position + 1) * length) / count)];
}

function mean(
  { columns, channels, pixels }: Picture,
  [top, bottom]: Stretch,
  [left, right]: Stretch,
  channel: number,
): number {
  let sum = 0;
  for (let row = top; row < bottom; row++) {
    const end = (row * columns + right) * channels;
    for (let at = (row * columns + left) * channels + channel; at < end; at += channels) sum += pixels[at]!;
  }
  return (sum / ((bottom - top) * (right - left)) + 0.5) | 0;
}
