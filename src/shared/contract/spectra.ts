import { nullable, type Static, Type } from './schema.ts';

const Text = nullable(Type.String());
const Value = nullable(Type.Number());

export const SIGNAL_DOMAINS = ['TIME', 'FREQUENCY'] as const;
export const DATA_REPRESENTATIONS = ['COMPLEX', 'REAL', 'IMAGINARY', 'MAGNITUDE'] as const;

export const SpectraResponse = Type.Object({
  file_index: Type.Integer(),
  /** Spectra that are stored: frame by frame, and row by row in a frame. */
  count: Type.Integer(),
  /** The grid of voxels of one frame. */
  rows: Type.Integer(),
  columns: Type.Integer(),
  frames: Type.Integer(),
  /** Of one spectrum. */
  points: Type.Integer(),
  domain: Type.Enum([...SIGNAL_DOMAINS]),
  representation: Type.Enum([...DATA_REPRESENTATIONS]),
  spectral_width_hz: Value,
  transmitter_mhz: Value,
  /** The chemical shift at the transmitter frequency. */
  reference_ppm: Value,
  nucleus: Text,
  /** Between rows, then between columns. */
  pixel_spacing_mm: nullable(Type.Tuple([Type.Number(), Type.Number()])),
  slice_thickness_mm: Value,
  /** The slabs whose intersection is the volume of a single voxel. */
  slabs: Type.Array(
    Type.Object({
      thickness_mm: Type.Number(),
      orientation: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
      center_mm: Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }),
    }),
  ),
  warnings: Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type SpectraResponse = Static<typeof SpectraResponse>;
