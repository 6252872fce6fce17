import { decodeContours } from '../../../shared/contourPacket.ts';
import { combineMasks, ERROR_COLORS, ERROR_OPACITY, ERROR_SEGMENTS } from '../../../shared/errorMasks.ts';
import { insideOfContours } from '../../../shared/insideOfContours.ts';
import { decodeMasks, type SourceMasks } from '../../../shared/maskLayers.ts';
import { maskOfPart } from '../../../shared/maskOfPart.ts';
import { createMaskBits, type MaskBits } from '../../../shared/maskRuns.ts';
import { paintMasks } from '../../../shared/paintMasks.ts';
import type { TileErrors, TileLayer } from './sheetTasks.ts';
import { blendMasks, ownBuffer, type TileGround } from './tilePainters.ts';

/** Pixels of all pairs of a picture: about a second. */
const MOST_SAMPLES = 2 ** 28;

/** Draws what two layers have in common and where they differ, in the colors of the page. False if that is too much. */
export function paintErrors(ground: TileGround, { truth, test, pairs }: TileErrors): boolean {
  const sides = { truth: readSide(truth), test: readSide(test) };
  const here = pairs.filter(([a, b]) => sides.truth?.parts.has(a) === true || sides.test?.parts.has(b) === true);
  const size = sides.truth ?? sides.test;
  if (size === undefined || here.length === 0) return true;
  const { rows, columns } = size;
  if (rows * columns * here.length > MOST_SAMPLES) return false;
  const empty = createMaskBits(columns, rows);
  const read = (side: ReadSide | undefined, part: number) => (side?.parts.has(part) ? side.read(part) : empty);
  // One pair is in memory at a time.
  const masks = (function* () {
    for (const [a, b] of here) yield { truth: read(sides.truth, a), test: read(sides.test, b) };
  })();
  const { layers } = combineMasks(masks, { rows, columns });
  const colors = new Map<number, (typeof ERROR_COLORS)['tp']>([
    [ERROR_SEGMENTS.tp, ERROR_COLORS.tp],
    [ERROR_SEGMENTS.fp, ERROR_COLORS.fp],
    [ERROR_SEGMENTS.fn, ERROR_COLORS.fn],
  ]);
  const painted = paintMasks(layers, {
    colorOf: (segment) => colors.get(segment) ?? ERROR_COLORS.tp,
    styleOf: () => ({ isVisible: true, opacity: ERROR_OPACITY, isOutline: false }),
  });
  if (painted !== undefined) blendMasks(ground, painted);
  return true;
}

type ReadSide = {
  readonly rows: number;
  readonly columns: number;
  /** Those that have something on this picture. */
  readonly parts: ReadonlySet<number>;
  readonly read: (part: number) => MaskBits;
};

function readSide(layer: TileLayer | undefined): ReadSide | undefined {
  if (layer === undefined) return undefined;
  if (layer.kind === 'contour') {
    const packet = decodeContours(ownBuffer(layer.packet));
    const { rows, columns, items } = packet;
    const parts = new Set(items.flatMap(({ part, isClosed }) => (isClosed ? [part] : [])));
    return { rows, columns, parts, read: (part) => insideOfContours(packet, part) };
  }
  const masks = decodeMasks(ownBuffer(layer.packet));
  const { rows, columns } = masks;
  return { rows, columns, parts: listParts(masks), read: (part) => maskOfPart(masks, part) };
}

function listParts({ layers }: SourceMasks): ReadonlySet<number> {
  const parts = new Set<number>();
  for (const { kind, segment, samples } of layers) {
    if (kind !== 'labels') {
      if (segment !== undefined) parts.add(segment);
      continue;
    }
    let last = 0;
    for (const sample of samples) {
      if (sample === last) continue;
      last = sample;
      if (sample !== 0) parts.add(sample);
    }
  }
  return parts;
}
