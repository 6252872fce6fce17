import type { WireDocumentFigure } from '../../../shared/contract/documents.ts';
import documentStyles from './DocumentCell.module.css';
import styles from './FigureList.module.css';

/** Drawings of a document: colors, curves and layouts of screens. */
export function FigureList({ figures }: { readonly figures: readonly WireDocumentFigure[] }) {
  return figures.map((figure, at) => (
    // oxlint-disable-next-line react/no-array-index-key -- the figures of a document never change
    <figure key={at} className={styles.figure} aria-label={figure.title}>
      <figcaption className={documentStyles.heading}>{figure.title}</figcaption>
      <Drawing figure={figure} />
    </figure>
  ));
}

function Drawing({ figure }: { readonly figure: WireDocumentFigure }) {
  switch (figure.type) {
    case 'strip':
      return <Strip figure={figure} />;
    case 'curve':
      return <Curve figure={figure} />;
    case 'boxes':
      return <Boxes figure={figure} />;
  }
}

type Of<Type extends WireDocumentFigure['type']> = { readonly figure: Extract<WireDocumentFigure, { type: Type }> };

function Strip({ figure: { colors, from, to } }: Of<'strip'>) {
  return (
    <>
      <svg
        className={styles.strip}
        viewBox={`0 0 ${colors.length} 10`}
        preserveAspectRatio="none"
        shapeRendering="crispEdges"
        aria-hidden="true"
        data-colors={colors.length}
      >
        {colors.map((color, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a color is known by its place
          <rect key={at} x={at} y={0} width={1} height={10} fill={color} />
        ))}
      </svg>
      <p className={styles.ends}>
        <span>{from}</span>
        <span>{to}</span>
      </p>
    </>
  );
}

const WIDTH = 480;
const HEIGHT = 200;
const LEFT = 70;
const BELOW = 34;
const TOP = 10;

function Curve({ figure: { x, y } }: Of<'curve'>) {
  const [left, right] = rangeOf(x.values);
  const [low, high] = rangeOf(y.values);
  const toX = (value: number) => LEFT + ((value - left) / (right - left || 1)) * (WIDTH - LEFT - 10);
  const toY = (value: number) => HEIGHT - BELOW - ((value - low) / (high - low || 1)) * (HEIGHT - BELOW - TOP);
  const path = x.values.map((value, at) => `${at === 0 ? 'M' : 'L'}${toX(value)} ${toY(y.values[at] ?? low)}`).join('');
  return (
    <svg className={styles.curve} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path className={styles.axes} d={`M${LEFT} ${TOP}V${HEIGHT - BELOW}H${WIDTH - 10}`} />
      <path className={styles.line} d={path} />
      <g className={styles.labels} fontSize={11}>
        <text x={LEFT - 6} y={TOP + 8} textAnchor="end">
          {round(high)}
        </text>
        <text x={LEFT - 6} y={HEIGHT - BELOW} textAnchor="end">
          {round(low)}
        </text>
        <text x={LEFT} y={HEIGHT - BELOW + 14}>
          {round(left)}
        </text>
        <text x={WIDTH - 10} y={HEIGHT - BELOW + 14} textAnchor="end">
          {round(right)}
        </text>
        <text x={(LEFT + WIDTH) / 2} y={HEIGHT - 4} textAnchor="middle">
          {x.unit === null ? x.label : `${x.label} (${x.unit})`}
        </text>
        <text x={LEFT + 8} y={TOP + 8}>
          {y.unit === null ? y.label : `${y.label} (${y.unit})`}
        </text>
      </g>
    </svg>
  );
}

function rangeOf(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}

function round(value: number): number {
  return Number(value.toPrecision(5));
}

function Boxes({ figure: { aspect, boxes } }: Of<'boxes'>) {
  const [width, height] = [WIDTH, WIDTH / aspect];
  return (
    <svg className={styles.boxes} viewBox={`-2 -2 ${width + 4} ${height + 4}`} aria-hidden="true">
      {boxes.map((box, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- the boxes of a drawing never change
        <g key={at} className={box.is_frame ? styles.frame : styles.box}>
          <rect x={box.x * width} y={box.y * height} width={box.width * width} height={box.height * height} />
          <text
            x={box.x * width + (box.is_frame ? 6 : (box.width * width) / 2)}
            y={box.y * height + (box.is_frame ? 14 : (box.height * height) / 2 + 4)}
            textAnchor={box.is_frame ? 'start' : 'middle'}
            fontSize={12}
          >
            {box.label}
          </text>
        </g>
      ))}
    </svg>
  );
}
