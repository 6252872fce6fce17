import { GLASS } from './liverTissue.ts';
import { createRaster, fillRectangle, type Raster } from './raster.ts';

const ROWS = 512;
const COLUMNS = 1024;
const BARE_GLASS = [226, 229, 233] as const;
const COVER_EDGE = [198, 204, 211] as const;

/** The slide as seen by a camera from above: label, glass, cover slip, and the tissue under it at a small scale. */
export function createSlideOverview(tissue: Raster, label: Raster): Raster {
  const raster = createRaster(ROWS, COLUMNS, BARE_GLASS);
  const cover = { left: 264, top: 40, width: 720, height: 432 };
  fillRectangle(raster, cover, COVER_EDGE);
  fillRectangle(
    raster,
    { left: cover.left + 3, top: cover.top + 3, width: cover.width - 6, height: cover.height - 6 },
    GLASS,
  );
  paste(raster, label, { left: 32, top: (ROWS - label.rows) >> 1 });
  paste(raster, tissue, { left: cover.left + ((cover.width - tissue.columns) >> 1), top: (ROWS - tissue.rows) >> 1 });
  return raster;
}

function paste(onto: Raster, { rows, columns, pixels }: Raster, { left, top }: { left: number; top: number }): void {
  for (let row = 0; row < rows; row++) {
    onto.pixels.set(
      pixels.subarray(row * columns * 3, (row + 1) * columns * 3),
      3 * ((top + row) * onto.columns + left),
    );
  }
}
