/** The picture of a tile: its size in pixels, which layers and marks count in, and the shape of a pixel. */
export type SheetShape = {
  readonly rows: number;
  readonly columns: number;
  /** Height of a pixel over its width. */
  readonly pixelAspectRatio: number;
};

/** In pixels of the sheet. */
export type SheetBox = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

export type SheetLayout = { readonly height: number; readonly boxes: readonly SheetBox[] };

/** Between two pictures. */
const GAP = 2;
/** Taller pictures are narrower than their column. */
const TALLEST = 2;
/** Another shape of a pixel is a damaged attribute. */
const LARGEST_RATIO = 64;

/** Width of a column. */
export function columnWidth(width: number, columns: number): number {
  return Math.max(1, Math.floor((width - (columns - 1) * GAP) / columns));
}

/** Size of a picture in a column, with the shape that its pixels give it. */
export function fitTile(
  { rows, columns, pixelAspectRatio }: SheetShape,
  width: number,
): { width: number; height: number } {
  const ratio = pixelAspectRatio > 1 / LARGEST_RATIO && pixelAspectRatio < LARGEST_RATIO ? pixelAspectRatio : 1;
  const [across, down] = [Math.max(1, columns), Math.max(1, rows) * ratio];
  const scale = Math.min(width / across, (TALLEST * width) / down);
  return { width: clamp(across * scale, width), height: clamp(down * scale, TALLEST * width) };
}

/** Pictures in rows, each row as high as its highest picture, each picture in the middle of its place. */
export function layOutSheet(shapes: readonly SheetShape[], width: number, columns: number): SheetLayout {
  const across = columnWidth(width, columns);
  const sizes = shapes.map((shape) => fitTile(shape, across));
  const boxes: SheetBox[] = [];
  let top = 0;
  for (let first = 0; first < sizes.length; first += columns) {
    const inRow = sizes.slice(first, first + columns);
    const height = Math.max(...inRow.map((size) => size.height));
    for (const [at, size] of inRow.entries()) {
      boxes.push({
        ...size,
        left: at * (across + GAP) + ((across - size.width) >> 1),
        top: top + ((height - size.height) >> 1),
      });
    }
    top += height + GAP;
  }
  return { height: Math.max(1, top - GAP), boxes };
}

/** Height that no sheet of so many pictures exceeds. */
export function tallestSheet(count: number, width: number, columns: number): number {
  return Math.ceil(count / columns) * (TALLEST * columnWidth(width, columns) + GAP);
}

function clamp(length: number, most: number): number {
  return Math.min(most, Math.max(1, Math.round(length)));
}
