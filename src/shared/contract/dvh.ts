import { DVH_WISH, MOST_DVH_WISHES } from '../dvhWishes.ts';
import { LayerParts } from './layerAnswers.ts';
import { nullable, type Static, Type } from './schema.ts';

const Index = Type.Integer({ minimum: 0 });

export const DEFAULT_DVH_BINS = 500;

export const DvhQuery = Type.Object({
  /** The file of the dose. */
  dose: Index,
  /** Files of more doses, which are added to it. */
  plus: Type.Optional(Type.Array(Index, { minItems: 1, maxItems: 31 })),
  parts: LayerParts,
  /** Number of steps of the curve from 0 to the highest dose of the grid. */
  bins: Type.Optional(Type.Integer({ minimum: 16, maximum: 4096, default: DEFAULT_DVH_BINS })),
  /** Points of the curve: `D90` (percent), `D0.5cc`, `V20Gy`. */
  points: Type.Optional(
    Type.Array(Type.String({ maxLength: 16, pattern: DVH_WISH, examples: ['D95', 'D2cc', 'V20Gy'] }), {
      minItems: 1,
      maxItems: MOST_DVH_WISHES,
    }),
  ),
});

/** The least dose in the hottest part of the volume, in Gray: 95 % of it, or 2 cubic centimetres. */
const Doses = Type.Object({
  d98: nullable(Type.Number()),
  d95: nullable(Type.Number()),
  d50: nullable(Type.Number()),
  d2: nullable(Type.Number()),
  /** Null if the volume is smaller. */
  d2cc: nullable(Type.Number()),
  d01cc: nullable(Type.Number()),
});

const StoredDvh = Type.Object({
  /** As the dose object has it; both are converted to a cumulative one. */
  type: Type.Enum(['CUMULATIVE', 'DIFFERENTIAL']),
  volume_units: Type.Enum(['CM3', 'PERCENT']),
  /** In Gray, ascending. */
  edges: Type.Array(Type.Number()),
  /** Volume with at least the dose of the edge, in volume units. */
  cumulative: Type.Array(Type.Number()),
  minimum: nullable(Type.Number()),
  mean: nullable(Type.Number()),
  maximum: nullable(Type.Number()),
});

const PartDvh = Type.Object({
  part: Type.Integer(),
  label: nullable(Type.String()),
  /** Of the whole part; null if its contours enclose no volume. */
  volume_cm3: nullable(Type.Number()),
  /** Share of the volume, from 0 to 1, where the dose is known. Everything below is about that share. */
  inside_dose_grid: nullable(Type.Number()),
  minimum: nullable(Type.Number()),
  mean: nullable(Type.Number()),
  maximum: nullable(Type.Number()),
  d: Doses,
  /** Those that were asked for, in their order. */
  points: Type.Array(
    Type.Object({
      /** `D90`, `D0.5cc`, `V20Gy`. */
      name: Type.String(),
      /** In Gray; null if the part is smaller than the volume. */
      dose: nullable(Type.Number()),
      /** The volume that gets at least the dose. */
      volume_cm3: nullable(Type.Number()),
      volume_percent: nullable(Type.Number()),
    }),
  ),
  /** In Gray, ascending from 0: one more than bins; empty without a volume. */
  edges: Type.Array(Type.Number()),
  /** Volume with at least the dose of the edge. */
  cumulative_cm3: Type.Array(Type.Number()),
  /** Distance of the samples within a plane, and the number of planes. */
  step_mm: nullable(Type.Number()),
  planes: Type.Integer(),
  /** The histogram in the dose object; it is never mixed with the computed one. */
  stored: nullable(StoredDvh),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type WirePartDvh = Static<typeof PartDvh>;

export const DvhResponse = Type.Object({
  file_index: Type.Integer(),
  dose_file_index: Type.Integer(),
  /** Of the doses that are added to it. */
  plus_file_indices: Type.Array(Type.Integer()),
  dose: Type.Object({
    units: Type.String(),
    type: nullable(Type.String()),
    summation: nullable(Type.String()),
    /** The highest dose of the grid; for a sum, that of the highest doses, which no place exceeds. */
    maximum_gy: nullable(Type.Number()),
  }),
  /** Of all parts together: the shortest distance of samples, and the number of planes. */
  grid: Type.Object({ step_mm: nullable(Type.Number()), planes: Type.Integer() }),
  dvhs: Type.Array(PartDvh),
});
export type DvhResponse = Static<typeof DvhResponse>;
