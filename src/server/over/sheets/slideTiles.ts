import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import type { FrameOptions } from '../../images/pixels/frames.ts';
import type { KeyStack } from '../../images/series/keyFrames.ts';
import { locateTile } from '../../images/wsi/locateTile.ts';
import { mapInLanes } from '../../machine/workers/mapInLanes.ts';
import type { SheetLayer } from './sheetLayers.ts';
import type { PicturePiece } from './sheetTasks.ts';
import { edgeOf, type PlannedTile, planFrame, type TileContext } from './sheetTile.ts';

/** Tiles that a picture of a slide is put together from. */
const MOST_PIECES = 64;
/** Frames of a level that are looked at for them: several focal planes and optical paths of that many tiles. */
const MOST_FRAMES = 4_096;

type Level = {
  readonly files: readonly DicomFile[];
  readonly rows: number;
  readonly columns: number;
  readonly count: number;
};

/** An image of a slide that is a single picture, such as its overview. */
const COMPANIONS = ['THUMBNAIL', 'OVERVIEW', undefined, 'LABEL'] as const;

/** The picture of a slide: its smallest level that is as wide as the sheet, or an overview of it. */
export function planSlide(
  context: TileContext,
  stacks: readonly KeyStack[],
  { width, over }: { readonly width: number; readonly over: readonly SheetLayer[] },
): PlannedTile[] {
  const levels = listLevels(context, stacks);
  const usable = levels.filter(({ count }) => count <= MOST_PIECES);
  const level = usable.find(({ rows, columns }) => Math.max(rows, columns) >= width) ?? usable.at(-1);
  if (level !== undefined) return [planLevel(context, level, levels.at(-1) ?? level, over)];
  for (const role of COMPANIONS) {
    const stack = stacks.find(({ kind, imageTypeRole }) => kind === 'wsi_companion' && imageTypeRole === role);
    const file = context.catalog.files[stack?.frames[0]?.fileIndex ?? -1];
    if (file !== undefined)
      return [planFrame(context, file, { frame: 0, findWindow: async () => ({}), over: { layers: [] } })];
  }
  return [];
}

/** Smallest first. `count`: its tiles in one plane; infinite if it is not put together. */
function listLevels({ catalog }: TileContext, stacks: readonly KeyStack[]): readonly Level[] {
  const levels: Level[] = [];
  for (const { kind, frames, length } of stacks) {
    if (kind !== 'wsi_pyramid_level') continue;
    const files = frames.flatMap(({ fileIndex }) => catalog.files[fileIndex] ?? []);
    const [first] = files;
    const { totalRows: rows, totalColumns: columns } = first?.placement?.slide ?? {};
    if (first === undefined || rows === undefined || columns === undefined) continue;
    const count = Math.ceil(rows / Math.max(1, first.rows)) * Math.ceil(columns / Math.max(1, first.columns));
    levels.push({ files, rows, columns, count: length > MOST_FRAMES ? Infinity : count });
  }
  return levels.toSorted((a, b) => a.rows * a.columns - b.rows * b.columns);
}

function planLevel(context: TileContext, level: Level, largest: Level, over: readonly SheetLayer[]): PlannedTile {
  const { layers } = context;
  const { files, rows, columns } = level;
  const [first] = files;
  const shape = { rows, columns, pixelAspectRatio: first?.pixelAspectRatio ?? 1 };
  return {
    ...shape,
    name: `${first?.index ?? ''}/slide`,
    files,
    draw: (width, options) => drawLevel(context, level, edgeOf(shape, width) / Math.max(rows, columns), options),
    layers: over,
    pack: (layer, { signal, priority }) => {
      const pixel = Math.max(1, Math.max(rows, columns) / LAYER_SIDE);
      return layers.packetOnSlide(
        layer,
        { file: first, x: 0, y: 0, width: columns, height: rows, pixel },
        { signal, priority },
      );
    },
    marked: { files: largest.files.map(({ index }) => index), scale: columns / largest.columns },
  };
}

/** Masks over a slide have at most as many rows and columns: more would not be seen. */
const LAYER_SIDE = 1_024;

/** The tiles of the first optical path, in the middle of the focal planes. */
async function drawLevel(
  { frames, slides }: TileContext,
  { files, rows, columns }: Level,
  scale: number,
  options: FrameOptions,
): Promise<{ readonly pieces: readonly PicturePiece[]; readonly isDamaged: boolean }> {
  const wanted: { readonly file: DicomFile; readonly frame: number; readonly place: Omit<PicturePiece, 'png'> }[] = [];
  for (const file of files) {
    const layout = await slides.readLayout(file, options.signal);
    const middle = (Math.max(1, layout.frames?.focalPlanesUm.length ?? layout.focalPlaneCount) - 1) >> 1;
    for (let frame = 0; frame < file.frameCount && wanted.length < MOST_PIECES; frame += 1) {
      const { rectangle, opticalPath, focalPlane } = locateTile(layout, frame);
      if (rectangle === undefined || (opticalPath?.index ?? 0) !== 0 || (focalPlane?.index ?? middle) !== middle)
        continue;
      wanted.push({
        file,
        frame,
        place: {
          left: rectangle.x / columns,
          top: rectangle.y / rows,
          right: (rectangle.x + rectangle.width) / columns,
          bottom: (rectangle.y + rectangle.height) / rows,
          usedWidth: Math.min(1, rectangle.width / layout.tileColumns),
          usedHeight: Math.min(1, rectangle.height / layout.tileRows),
        },
      });
    }
  }
  const made = await mapInLanes(wanted, async ({ file, frame, place }) => {
    const size = Math.max(1, Math.ceil(Math.max(file.rows, file.columns) * scale));
    const { bytes, damage } = await frames.thumbnail(file, frame, { size }, options);
    return { piece: { ...place, png: bytes }, isDamaged: damage !== undefined };
  });
  return { pieces: made.map(({ piece }) => piece), isDamaged: made.some(({ isDamaged }) => isDamaged) };
}
