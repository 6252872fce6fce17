type Picture = {
  readonly rows: number;
  readonly columns: number;
  readonly channels: 1 | 3;
  readonly pixels: Uint8Array;
};

/** Makes the longer edge at most `size` pixels, each the mean of the ones that it covers. Never enlarges. */
export function shrinkPicture(picture: Picture, size: number): Picture {
  const longest = Math.max(picture.rows, picture.columns);
  if (longest <= size) return picture;
  const rows = Math.max(1, Math.round((picture.rows * size) / longest));
  const columns = Math.max(1, Math.round((picture.columns * size) / longest));
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
