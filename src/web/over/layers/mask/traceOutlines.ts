import type { MaskLayer } from '../../../../shared/maskLayers.ts';

/** Lines along edges of pixels: from x, from y, to x, to y, and so on, in pixels of the image. */
export type OutlineLines = readonly number[];

/** The lines around each segment of a layer. A fraction counts as inside from one half. */
export function traceOutlines(layer: MaskLayer): ReadonlyMap<number, OutlineLines> {
  const lines = new Map<number, number[]>();
  const insideOf = createInside(layer);
  addRuns(layer, { insideOf, lines, isAcross: true });
  addRuns(layer, { insideOf, lines, isAcross: false });
  return lines;
}

/** The segment that a pixel of the layer belongs to; 0 for none and outside the layer. */
type Inside = (row: number, column: number) => number;

function createInside({ kind, rows, columns, samples, segment = 0, maximum = 255 }: MaskLayer): Inside {
  // A segment without a number is still traced as one.
  const own = segment === 0 ? -1 : segment;
  return (row, column) => {
    if (row < 0 || column < 0 || row >= rows || column >= columns) return 0;
    const sample = samples[row * columns + column]!;
    if (kind === 'labels') return sample;
    return sample > 0 && (kind === 'mask' || sample * 2 >= maximum) ? own : 0;
  };
}

type Tracing = {
  readonly insideOf: Inside;
  readonly lines: Map<number, number[]>;
  /** Edges between rows, else between columns. */
  readonly isAcross: boolean;
};

/** Adjacent edges are joined into one line. An edge between two segments belongs to both. */
function addRuns({ rows, columns, top, left }: MaskLayer, { insideOf, lines, isAcross }: Tracing): void {
  const [edges, length] = isAcross ? [rows, columns] : [columns, rows];
  const at = (edge: number, along: number) => (isAcross ? insideOf(edge, along) : insideOf(along, edge));
  for (let edge = 0; edge <= edges; edge++) {
    for (const side of [-1, 0]) {
      let from = 0;
      let running = 0;
      for (let along = 0; along <= length; along++) {
        const here = along === length ? 0 : at(edge + side, along);
        const number = here !== 0 && here !== at(edge - 1 - side, along) ? here : 0;
        if (number === running) continue;
        if (running !== 0) {
          const line = isAcross
            ? [left + from, top + edge, left + along, top + edge]
            : [left + edge, top + from, left + edge, top + along];
          const known = lines.get(Math.max(0, running));
          if (known === undefined) lines.set(Math.max(0, running), line);
          else known.push(...line);
        }
        from = along;
        running = number;
      }
    }
  }
}
