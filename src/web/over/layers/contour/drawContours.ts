import type { ContourPacket } from '../../../../shared/contourPacket.ts';
import type { LayerDrawer } from '../layerPainter.ts';
import { buildContourLines } from '../../../../shared/contourLines.ts';

const LINE_PX = 1.5;
const DASH_PX = [5, 4];
const POINT_PX = 4;
/** Areas are paler than masks, because the structures of a plan cover each other. */
const FILL = 0.6;

type PartPaths = {
  readonly part: number;
  readonly area: Path2D;
  readonly line: Path2D;
  readonly dashed: Path2D;
  readonly points: readonly (readonly [number, number])[];
};

/** One path for each part of a packet, built once. */
const built = new WeakMap<ContourPacket, readonly PartPaths[]>();

export function createContourDrawer(): LayerDrawer<ContourPacket> {
  return {
    draw(context, drawn, imageToCanvas) {
      const matrix = new DOMMatrix([...imageToCanvas]);
      for (const { packet, look } of drawn) {
        for (const { part, area, line, dashed, points } of pathsOf(packet)) {
          const { isVisible, isOutline, opacity, fillsNested = false } = look.styleOf(part);
          if (!isVisible) continue;
          const color = `rgb(${look.colorOf(part).join(' ')})`;
          context.setTransform(1, 0, 0, 1, 0, 0);
          context.fillStyle = color;
          context.strokeStyle = color;
          if (!isOutline) {
            context.globalAlpha = opacity * FILL;
            context.fill(transform(area, matrix), fillsNested ? 'nonzero' : 'evenodd');
          }
          // A thin line needs more opacity than an area to be visible.
          context.globalAlpha = 0.5 + opacity / 2;
          context.lineWidth = LINE_PX * devicePixelRatio;
          context.lineJoin = 'round';
          context.stroke(transform(line, matrix));
          context.setLineDash(DASH_PX.map((px) => px * devicePixelRatio));
          context.stroke(transform(dashed, matrix));
          context.setLineDash([]);
          for (const [x, y] of points) markPoint(context, matrix.transformPoint({ x, y }));
        }
      }
      context.globalAlpha = 1;
    },
  };
}

/** Lines are transformed rather than the canvas, so that they are equally thin at every zoom. */
function transform(path: Path2D, matrix: DOMMatrix): Path2D {
  const transformed = new Path2D();
  transformed.addPath(path, matrix);
  return transformed;
}

function markPoint(context: CanvasRenderingContext2D, { x, y }: DOMPoint): void {
  const size = POINT_PX * devicePixelRatio;
  context.beginPath();
  context.moveTo(x - size, y);
  context.lineTo(x + size, y);
  context.moveTo(x, y - size);
  context.lineTo(x, y + size);
  context.stroke();
}

function pathsOf(packet: ContourPacket): readonly PartPaths[] {
  const known = built.get(packet);
  if (known !== undefined) return known;
  const paths = buildContourLines(packet).map(({ part, areas, lines, dashed, points }) => ({
    part,
    area: toPath(areas, true),
    line: toPath(lines, false),
    dashed: toPath(dashed, false),
    points,
  }));
  built.set(packet, paths);
  return paths;
}

function toPath(lines: readonly (readonly number[])[], isClosed: boolean): Path2D {
  const path = new Path2D();
  for (const line of lines) {
    path.moveTo(line[0]!, line[1]!);
    for (let at = 2; at < line.length; at += 2) path.lineTo(line[at]!, line[at + 1]!);
    if (isClosed) path.closePath();
  }
  return path;
}
