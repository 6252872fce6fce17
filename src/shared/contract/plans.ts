import { nullable, type Static, Type } from './schema.ts';

const Text = nullable(Type.String());
const Float = nullable(Type.Number());
const Count = Type.Integer({ minimum: 0 });
const Point = nullable(Type.Array(Type.Number(), { minItems: 3, maxItems: 3 }));

export const PlanQuery = Type.Object({
  /** Position in `beams` of the one whose control points are wanted. Absent: none. */
  beam: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
  /** Position in `channels` of the one whose dwell positions are wanted. Absent: none. */
  channel: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
});

/** Doses in Gray. */
export const WirePrescription = Type.Object({
  number: Float,
  /** TARGET or ORGAN_AT_RISK. */
  type: Text,
  /** POINT, VOLUME, COORDINATES or SITE. */
  structure_type: Text,
  description: Text,
  /** Number of the ROI in the structure set. */
  roi_number: Float,
  target_minimum_gy: Float,
  target_prescription_gy: Float,
  target_maximum_gy: Float,
  organ_limit_gy: Float,
  organ_maximum_gy: Float,
});
export type WirePrescription = Static<typeof WirePrescription>;

export const WireFractionGroup = Type.Object({
  number: Float,
  fractions: Float,
  /** Sum of the doses of its treatment beams at their points; null if one of them has none. */
  dose_per_fraction_gy: Float,
  /** Sum of the metersets of its treatment beams; null if one of them has none, or if their units differ. */
  meterset: Float,
  beam_numbers: Type.Array(Type.Number()),
});
export type WireFractionGroup = Static<typeof WireFractionGroup>;

/** A beam of a plan, or of a treatment session. Angles in degrees as in IEC 61217, lengths in mm. */
export const WirePlanBeam = Type.Object({
  /** Beam Number; for a session, that of the beam in the plan. */
  number: Float,
  name: Text,
  description: Text,
  /** STATIC or DYNAMIC. */
  type: Text,
  radiation: Text,
  /** TREATMENT, SETUP and others. */
  delivery: Text,
  /** Whether it gives dose: setup and verification images do not. */
  is_treatment: Type.Boolean(),
  machine: Text,
  /** MU, MINUTE, NP. */
  meterset_unit: Text,
  meterset: Float,
  dose_gy: Float,
  /** Different ones in their order. */
  energies: Type.Array(Type.Number()),
  /** MV, MeV, MeV/u. */
  energy_unit: Type.String(),
  gantry_start: Float,
  gantry_stop: Float,
  /** CW, CC or NONE. */
  gantry_direction: Text,
  /** How far the gantry turns during the beam. */
  gantry_travel: Type.Number(),
  collimator: Float,
  couch: Float,
  isocenter: Point,
  isocenter_count: Count,
  source_surface_mm: Float,
  source_axis_mm: Float,
  wedges: Count,
  compensators: Count,
  boli: Count,
  blocks: Count,
  control_point_count: Count,
  scan_mode: Text,
  range_shifters: Count,
  range_modulators: Count,
  snout: Text,
  /** Control points with spots that get dose. */
  layer_count: Count,
  spot_count: Count,
  /** Sum of the weights of all spots, or of what they got. */
  spot_weight: Type.Number(),
  setup_number: Float,
  tolerance_table_number: Float,
  /** Null for a plan. */
  session: nullable(
    Type.Object({
      fraction: Float,
      specified_meterset: Float,
      delivered_meterset: Float,
      /** NORMAL, OPERATOR, MACHINE or UNKNOWN. */
      termination: Text,
      verification: Text,
      delivered_time_s: Float,
      overrides: Count,
      corrections: Count,
    }),
  ),
});
export type WirePlanBeam = Static<typeof WirePlanBeam>;

/** A pair of jaws, or the leaves of a multileaf collimator. */
export const WireBeamDevice = Type.Object({
  /** X, Y, ASYMX, ASYMY, MLCX or MLCY. */
  type: Type.String(),
  /** Edges of the leaves, one more than there are pairs; empty for jaws and if they are unusable. */
  boundaries: Type.Array(Type.Number()),
  /** Why it cannot be drawn. */
  problem: Text,
});
export type WireBeamDevice = Static<typeof WireBeamDevice>;

/** What is in effect at a control point: a value that it does not state is that of the one before. */
export const WireControlPoint = Type.Object({
  index: Float,
  energy: Float,
  dose_rate: Float,
  gantry: Float,
  gantry_direction: Text,
  collimator: Float,
  couch: Float,
  pitch: Float,
  roll: Float,
  isocenter: Point,
  source_surface_mm: Float,
  cumulative_weight: Float,
  /** Delivered when this control point is reached, in units of the beam; of a session, what was delivered. */
  meterset: Float,
  /** Of a session: what the plan wanted here. */
  specified_meterset: Float,
  /** For each device: first the positions of one bank, then those of the other; null if it has none. */
  positions: Type.Array(nullable(Type.Array(Type.Number()))),
  /** Spots that get dose; null if there are none, or if the answer is cut. */
  spots: nullable(
    Type.Object({
      x: Type.Array(Type.Number()),
      y: Type.Array(Type.Number()),
      weights: Type.Array(Type.Number()),
      /** Full width at half maximum in x and y; null if it is not stated. */
      size: nullable(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })),
    }),
  ),
});
export type WireControlPoint = Static<typeof WireControlPoint>;

export const WirePlanChannel = Type.Object({
  setup_number: Float,
  setup_name: Text,
  setup_type: Text,
  number: Float,
  applicator: Text,
  length_mm: Float,
  step_mm: Float,
  movement: Text,
  total_time_s: Float,
  pulses: Float,
  source_number: Float,
  isotope: Text,
  /** Reference Air Kerma Rate in µGy/h at 1 m, and when it was so. */
  air_kerma_rate: Float,
  reference_date: Text,
  total_reference_air_kerma: Float,
  /** Places where the source stays. */
  dwell_count: Count,
  session: nullable(Type.Object({ specified_time_s: Float, delivered_time_s: Float })),
});
export type WirePlanChannel = Static<typeof WirePlanChannel>;

export const WireDwell = Type.Object({
  /** Distance of the source from the tip of the channel. */
  relative_mm: Float,
  /** In the coordinates of the patient. */
  position: Point,
  /** null if the times of the channel are unknown. */
  time_s: Float,
});
export type WireDwell = Static<typeof WireDwell>;

export const PlanResponse = Type.Object({
  file_index: Type.Integer(),
  label: Text,
  prescriptions: Type.Array(WirePrescription),
  fraction_groups: Type.Array(WireFractionGroup),
  beams: Type.Array(WirePlanBeam),
  channels: Type.Array(WirePlanChannel),
  /** Of the beam that was asked for. */
  beam: nullable(
    Type.Object({
      position: Count,
      devices: Type.Array(WireBeamDevice),
      control_points: Type.Array(WireControlPoint),
      /** There are more control points, or positions, than an answer has. */
      is_cut: Type.Boolean(),
    }),
  ),
  /** Of the channel that was asked for. */
  channel: nullable(Type.Object({ position: Count, dwells: Type.Array(WireDwell), is_cut: Type.Boolean() })),
});
export type PlanResponse = Static<typeof PlanResponse>;
