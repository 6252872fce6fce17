import styles from './PlotAxes.module.css';

export type PlotBox = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

type Axis = {
  readonly label: string;
  readonly ticks: readonly number[];
  /** Where a value is, in pixels of the drawing. */
  readonly place: (value: number) => number;
};

type Props = { readonly box: PlotBox; readonly x: Axis; readonly y: Axis };

/** The grid, numbers and names of the two axes of a plot, in an SVG. */
export function PlotAxes({ box: { left, top, width, height }, x, y }: Props) {
  return (
    <>
      {y.ticks.map((tick) => (
        <g key={`y ${tick}`}>
          <line className={styles.grid} x1={left} x2={left + width} y1={y.place(tick)} y2={y.place(tick)} />
          <text className={styles.tick} x={left - 6} y={y.place(tick) + 4} textAnchor="end">
            {tick}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <g key={`x ${tick}`}>
          <line className={styles.grid} x1={x.place(tick)} x2={x.place(tick)} y1={top} y2={top + height} />
          <text className={styles.tick} x={x.place(tick)} y={top + height + 16} textAnchor="middle">
            {tick}
          </text>
        </g>
      ))}
      <text className={styles.axis} x={left + width / 2} y={top + height + 34} textAnchor="middle">
        {x.label}
      </text>
      <text className={styles.axis} transform={`translate(13 ${top + height / 2}) rotate(-90)`} textAnchor="middle">
        {y.label}
      </text>
    </>
  );
}
