import { LONGEST_COMMENT, type ReviewScheme, type VerdictBody } from '../../../shared/contract/review.ts';
import { ViewerError } from '../../../shared/contract/errors.ts';
import { isReaderName } from '../../../shared/readerName.ts';
import { TABLE_LEVELS, type TableLevel } from '../../../shared/tableLevel.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';

/** The UIDs of a file, series or study; those that it does not have are empty. */
export type ReviewedUnit = {
  readonly level: TableLevel;
  readonly study: string;
  readonly series: string;
  /** The SOP Instance UID. */
  readonly instance: string;
};

/** What a reader has said of a unit. */
export type Decision = {
  readonly reader: string;
  /** Null if nothing is decided, or no longer. */
  readonly verdict: string | null;
  readonly reasons: readonly string[];
  readonly scores: Readonly<Record<string, number>>;
  readonly comment: string;
  readonly shownMs: number | null;
  /** In the form of ISO 8601. */
  readonly at: string;
};

export type VerdictLine = { readonly unit: ReviewedUnit; readonly decision: Decision };

const MOST_REASONS = 64;
const MOST_SCORES = 64;
const LONGEST_TEXT = 200;
/** More than a day is a page that was left open. */
const MOST_SHOWN_MS = 10 * 86_400_000;

/** Equal for the same unit. */
export function keyOfReviewed({ study, series, instance }: Omit<ReviewedUnit, 'level'>): string {
  return `${study}\0${series}\0${instance}`;
}

/** Whether anything is decided. */
export function isDecided({ verdict, scores, comment }: Decision): boolean {
  return verdict !== null || Object.keys(scores).length > 0 || comment !== '';
}

/** A line of a file of verdicts, without its end. */
export function writeVerdictLine({ unit, decision }: VerdictLine, version: string): string {
  const { level, study, series, instance } = unit;
  const { reader, verdict, reasons, scores, comment, shownMs, at } = decision;
  return JSON.stringify({
    v: 1,
    unit: level,
    study,
    ...(level !== 'study' && { series }),
    ...(level === 'file' && { instance }),
    reader,
    verdict,
    reasons,
    scores,
    comment,
    shown_ms: shownMs,
    at,
    negato: version,
  });
}

/** Why a line is not one of a decision. */
export type BadLine = 'is damaged' | 'is of a later version of negato' | 'is not understood';

/** What is left out of a line is empty, so that a script or a person can write one. */
export function parseVerdictLine(text: string): VerdictLine | BadLine {
  let value: unknown;
  try {
    value = parseBody(Buffer.from(text), { bytes: MOST_VALUE_BYTES });
  } catch {
    return 'is damaged';
  }
  const line: Readonly<Record<string, unknown>> = Object(value);
  const { v, unit: level, study, series = '', instance = '', reader, at = '' } = line;
  if (typeof v === 'number' && v > 1) return 'is of a later version of negato';
  const known = TABLE_LEVELS.find((one) => one === level);
  const isRight =
    v === 1 &&
    known !== undefined &&
    isText(study) &&
    isText(series) &&
    isText(instance) &&
    isText(reader) &&
    isText(at);
  if (!isRight || !isReaderName(reader)) return 'is not understood';
  const unit = {
    level: known,
    study,
    series: known === 'study' ? '' : series,
    instance: known === 'file' ? instance : '',
  };
  const own = known === 'study' ? study : known === 'series' ? series : instance;
  const parts = own === '' ? undefined : readDecision(line);
  return parts === undefined ? 'is not understood' : { unit, decision: { ...parts, reader, at } };
}

const MOST_VALUE_BYTES = 2 ** 20;

type Parts = Omit<Decision, 'reader' | 'at'>;

/** What a body or line says, without a scheme; undefined if its form is wrong. */
function readDecision(given: Readonly<Record<string, unknown>>): Parts | undefined {
  const { verdict = null, reasons = [], scores = {}, comment = '', shown_ms: shownMs = null } = given;
  if (verdict !== null && !(isText(verdict) && verdict !== '')) return undefined;
  if (!Array.isArray(reasons) || reasons.length > MOST_REASONS || !reasons.every(isText)) return undefined;
  if (typeof scores !== 'object' || scores === null || Array.isArray(scores)) return undefined;
  const pairs: [string, number][] = [];
  for (const [id, score] of Object.entries(scores)) {
    if (id.length > LONGEST_TEXT || typeof score !== 'number' || !Number.isFinite(score)) return undefined;
    pairs.push([id, score]);
  }
  if (pairs.length > MOST_SCORES) return undefined;
  if (typeof comment !== 'string' || comment.length > LONGEST_COMMENT) return undefined;
  if (shownMs !== null && !(typeof shownMs === 'number' && shownMs >= 0)) return undefined;
  const shown = shownMs === null ? null : Math.min(Math.round(shownMs), MOST_SHOWN_MS);
  return { verdict, reasons, scores: Object.fromEntries(pairs), comment, shownMs: shown };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= LONGEST_TEXT;
}

/** What a body says, if the scheme allows it. Throws `invalid_verdict`. */
export function checkVerdict(body: unknown, scheme: ReviewScheme): Parts {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refuse('the body must be an object');
  const unknown = Object.keys(body).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw refuse(`${JSON.stringify(unknown.slice(0, 64))} is none of ${FIELDS.join(', ')}`);
  const parts = readDecision(Object.fromEntries(Object.entries(body)));
  if (parts === undefined) {
    throw refuse(
      'the body must be {"verdict", "reasons", "scores", "comment", "shown_ms"}: a text or null, texts, numbers by id, a text, milliseconds',
    );
  }
  const { verdict, reasons, scores, comment } = parts;
  const chosen = scheme.verdicts.find(({ id }) => id === verdict);
  if (verdict !== null && chosen === undefined) {
    throw refuse(`verdict: none of ${scheme.verdicts.map(({ id }) => id).join(', ') || 'no verdicts'}`);
  }
  const reason = reasons.find((one, n) => !chosen?.reasons.includes(one) || reasons.indexOf(one) < n);
  if (reason !== undefined)
    throw refuse(`reasons: ${JSON.stringify(reason)} is no reason of this verdict, or there twice`);
  for (const [id, value] of Object.entries(scores)) {
    const score = scheme.scores.find((one) => one.id === id);
    if (score === undefined) throw refuse(`scores: ${JSON.stringify(id)} is no score of the scheme`);
    const isOnScale = Number.isInteger(value) && value >= score.min && value <= score.max;
    if (!isOnScale) throw refuse(`scores.${id}: must be a whole number from ${score.min} to ${score.max}`);
  }
  if (comment !== '' && !scheme.comment) throw refuse('comment: the scheme has no comments');
  const isEmpty = verdict === null && Object.keys(scores).length === 0 && comment === '';
  if (!isEmpty) requireParts(parts, scheme, (chosen?.reasons.length ?? 0) > 0);
  return parts;
}

function requireParts(
  { verdict, reasons, scores, comment }: Parts,
  { required }: ReviewScheme,
  hasReasons: boolean,
): void {
  for (const name of required) {
    const isThere =
      name === 'verdict'
        ? verdict !== null
        : name === 'reasons'
          ? reasons.length > 0 || !hasReasons
          : name === 'comment'
            ? comment.trim() !== ''
            : scores[name] !== undefined;
    if (!isThere) throw refuse(`${name}: the scheme requires it`);
  }
}

const FIELDS: readonly string[] = [
  'verdict',
  'reasons',
  'scores',
  'comment',
  'shown_ms',
] satisfies (keyof VerdictBody)[];

function refuse(message: string): ViewerError {
  return new ViewerError('invalid_verdict', message);
}
