import { type Static, Type, nullable } from './schema.ts';
import { TABLE_LEVELS } from '../tableLevel.ts';

/** Units of one page of a review. */
export const MOST_REVIEW_UNITS = 1_000;
export const LONGEST_COMMENT = 10_000;

const VerdictKey = Type.String({ pattern: '^[a-z0-9]$' });

/** What a reader can say of a unit. */
export const ReviewScheme = Type.Object({
  version: Type.Literal(1),
  verdicts: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      /** The key that decides; null for none. */
      key: nullable(VerdictKey),
      /** One or several can be given with this verdict. */
      reasons: Type.Array(Type.String()),
    }),
  ),
  /** Whole numbers from `min` to `max`. */
  scores: Type.Array(
    Type.Object({
      id: Type.String(),
      title: Type.String(),
      key: nullable(VerdictKey),
      min: Type.Integer(),
      max: Type.Integer(),
    }),
  ),
  comment: Type.Boolean(),
  /** What a decision must have: `verdict`, `reasons`, `comment` or the id of a score. */
  required: Type.Array(Type.String()),
});
export type ReviewScheme = Static<typeof ReviewScheme>;

const DECISION = {
  /** The id of a verdict; null says that the unit is not decided. */
  verdict: nullable(Type.String()),
  reasons: Type.Array(Type.String()),
  /** By id. */
  scores: Type.Record(Type.String(), Type.Number()),
  comment: Type.String(),
  /** For how long the unit was on the screen; null if that is not known. */
  shown_ms: nullable(Type.Number()),
};

/** A decision of a client. What is left out is empty; a decision without anything takes an earlier one back. */
export const VerdictBody = Type.Partial(Type.Object(DECISION));
export type VerdictBody = Static<typeof VerdictBody>;

export const WireDecision = Type.Object({
  reader: Type.String(),
  ...DECISION,
  /** When it was written, in UTC. */
  at: Type.String(),
});
export type WireDecision = Static<typeof WireDecision>;

export const WireReviewUnit = Type.Object({
  /** Its number in this run, which never changes. */
  unit: Type.Integer(),
  /** Its place in the order of the review, from 0, which changes while files are found; null if it is not part of it. */
  position: nullable(Type.Integer()),
  study: Type.String(),
  /** Null for a study. */
  series: nullable(Type.String()),
  /** The SOP Instance UID; null for a series or study. */
  instance: nullable(Type.String()),
  /** The file that opens it. */
  file: Type.Integer(),
  files: Type.Integer(),
  /** What the reader of this run has said; null for nothing. */
  decision: nullable(WireDecision),
  /** What others have said; empty in a blind review. */
  others: Type.Array(WireDecision),
  /** Of the decision, for If-Match. */
  etag: Type.String(),
});
export type WireReviewUnit = Static<typeof WireReviewUnit>;

const PROGRESS = {
  /** Units of the review. */
  total: Type.Integer(),
  /** Those that the reader of this run has decided. */
  decided: Type.Integer(),
  /** The position of the first one that is not decided; null if all are. */
  first_undecided: nullable(Type.Integer()),
};

export const ReviewUnitResponse = Type.Object({ ...PROGRESS, unit: WireReviewUnit });
export type ReviewUnitResponse = Static<typeof ReviewUnitResponse>;

export const ReviewQuery = Type.Object({
  /** Only those that are decided, or that are not. */
  state: Type.Optional(Type.Enum(['all', 'decided', 'undecided'], { default: 'all' })),
  /** Only those from this position on, to which `offset` is added. */
  from: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31, default: 0 })),
  /** Only the units that these files are part of, in the order of the files, whether they are in the review or not. */
  files: Type.Optional(
    Type.Array(Type.Integer({ minimum: 0, maximum: 2 ** 31 }), { minItems: 1, maxItems: MOST_REVIEW_UNITS }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 2 ** 31 })),
  limit: Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_REVIEW_UNITS })),
});
export type ReviewQuery = Static<typeof ReviewQuery>;

const WireReview = Type.Object({
  /** Grows with every decision, and with the files. */
  revision: Type.Integer(),
  reader: Type.String(),
  /** What a unit is. */
  level: Type.Enum([...TABLE_LEVELS]),
  scheme: ReviewScheme,
  /** Whether the order is that of a seed, and what others have said is hidden. */
  is_blind: Type.Boolean(),
  /** Whether it has only units of which readers differ. */
  is_second: Type.Boolean(),
  /** Readers of the files beside this one; empty in a blind review. */
  other_readers: Type.Array(Type.String()),
  /** The file that decisions are written to; null in a masked run. */
  path: nullable(Type.String()),
  /** `locked`: another process writes the file. `failing`: decisions cannot be written. */
  state: Type.Enum(['on', 'locked', 'failing']),
  /** Why decisions cannot be written. */
  problem: nullable(Type.String()),
  /** What of the files could not be read. */
  damage: nullable(Type.String()),
  /** Whether all files were found. */
  is_complete: Type.Boolean(),
  /** Files that are part of no unit, because they have no UID of their own for it. */
  files_left_out: Type.Integer(),
  ...PROGRESS,
  /** Units that `state` chooses. */
  chosen: Type.Integer(),
  units: Type.Array(WireReviewUnit),
});
export type WireReview = Static<typeof WireReview>;

/** Null without `--review`. */
export const ReviewResponse = Type.Object({ review: nullable(WireReview) });
export type ReviewResponse = Static<typeof ReviewResponse>;
