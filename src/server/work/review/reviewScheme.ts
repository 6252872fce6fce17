import { open } from 'node:fs/promises';
import type { ReviewScheme } from '../../../shared/contract/review.ts';
import { parseBody } from '../../machine/workers/parseBody.ts';

type SchemeVerdict = ReviewScheme['verdicts'][number];
type SchemeScore = ReviewScheme['scores'][number];

/** What can be said without `--scheme`. */
export const USUAL_SCHEME: ReviewScheme = {
  version: 1,
  verdicts: [
    { id: 'accept', title: 'accept', key: '1', reasons: [] },
    { id: 'reject', title: 'reject', key: '2', reasons: [] },
    { id: 'unsure', title: 'unsure', key: '3', reasons: [] },
  ],
  scores: [],
  comment: true,
  required: ['verdict'],
};

const MOST_BYTES = 2 ** 18;
const MOST_VERDICTS = 32;
const MOST_REASONS = 64;
const MOST_SCORES = 32;
/** Of a score: it is a scale, and the table of two readers has the square of it. */
const MOST_STEPS = 100;
const LONGEST_TITLE = 200;
/** Keys that a review has for itself, and what they do. */
const OWN_KEYS: ReadonlyMap<string, string> = new Map([
  ['n', 'goes to the next unit'],
  ['p', 'goes to the previous unit'],
  ['u', 'takes a decision back'],
  ['c', 'writes a comment'],
  ['f', 'goes to the first unit that is not decided'],
]);
/** What `required` can name beside the scores. */
const REQUIRABLE = ['verdict', 'reasons', 'comment'];

/** The file of `--scheme`. Throws an error whose message names the key that is wrong. */
export async function readReviewScheme(path: string): Promise<ReviewScheme> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, null);
      length += bytesRead;
      if (length > MOST_BYTES) throw new Error(`the file is larger than ${MOST_BYTES} bytes`);
      if (bytesRead === 0) return parseReviewScheme(parseBody(bytes.subarray(0, length)));
    }
  } finally {
    await file.close();
  }
}

/** A scheme with everything that it leaves out. Throws an error whose message names the key that is wrong. */
export function parseReviewScheme(value: unknown): ReviewScheme {
  const scheme = readObject(value, '', ['version', 'verdicts', 'scores', 'comment', 'required']);
  if (scheme['version'] !== 1) throw new Error('version: must be 1');
  const verdicts =
    scheme['verdicts'] === undefined
      ? USUAL_SCHEME.verdicts
      : readList(scheme['verdicts'], 'verdicts', MOST_VERDICTS).map((one, n) => parseVerdict(one, `verdicts[${n}]`));
  const scores = readList(scheme['scores'] ?? [], 'scores', MOST_SCORES).map((one, n) =>
    parseScore(one, `scores[${n}]`),
  );
  if (verdicts.length === 0 && scores.length === 0) throw new Error('verdicts: there is no verdict and no score');
  refuseTwice(verdicts, 'verdicts', 'id');
  refuseTwice(scores, 'scores', 'id');
  refuseTwiceKeys(verdicts, scores);
  const comment = readFlag(scheme['comment'] ?? true, 'comment');
  const required = parseRequired(scheme['required'], { verdicts, scores, comment });
  return { version: 1, verdicts: [...verdicts], scores, comment, required };
}

function parseVerdict(value: unknown, place: string): SchemeVerdict {
  const verdict = readObject(value, place, ['id', 'title', 'key', 'reasons']);
  const id = readId(verdict['id'], `${place}.id`);
  const reasons = readList(verdict['reasons'] ?? [], `${place}.reasons`, MOST_REASONS).map((reason, n) =>
    readText(reason, `${place}.reasons[${n}]`),
  );
  for (const [n, reason] of reasons.entries()) {
    if (reasons.indexOf(reason) < n) throw new Error(`${place}.reasons[${n}]: ${quote(reason)} is there twice`);
  }
  return {
    id,
    title: readText(verdict['title'] ?? id, `${place}.title`),
    key: readKey(verdict['key'] ?? null, `${place}.key`),
    reasons,
  };
}

function parseScore(value: unknown, place: string): SchemeScore {
  const score = readObject(value, place, ['id', 'title', 'key', 'min', 'max']);
  const id = readId(score['id'], `${place}.id`);
  if (REQUIRABLE.includes(id)) throw new Error(`${place}.id: a score cannot be called ${id}`);
  const min = readInteger(score['min'], `${place}.min`);
  const max = readInteger(score['max'], `${place}.max`);
  if (max <= min) throw new Error(`${place}.max: must be above ${place}.min`);
  if (max - min >= MOST_STEPS) throw new Error(`${place}.max: a score has at most ${MOST_STEPS} steps`);
  return {
    id,
    title: readText(score['title'] ?? id, `${place}.title`),
    key: readKey(score['key'] ?? null, `${place}.key`),
    min,
    max,
  };
}

function parseRequired(value: unknown, { verdicts, scores, comment }: Omit<ReviewScheme, 'version' | 'required'>) {
  if (value === undefined) return verdicts.length > 0 ? ['verdict'] : [];
  const known = [...REQUIRABLE, ...scores.map(({ id }) => id)];
  return readList(value, 'required', known.length).map((one, n) => {
    const name = readText(one, `required[${n}]`);
    if (!known.includes(name)) throw new Error(`required[${n}]: ${quote(name)} is none of ${known.join(', ')}`);
    if (name === 'verdict' && verdicts.length === 0) throw new Error(`required[${n}]: there is no verdict`);
    if (name === 'comment' && !comment) throw new Error(`required[${n}]: comment is false`);
    return name;
  });
}

function refuseTwice(all: readonly { readonly id: string }[], list: string, field: 'id'): void {
  for (const [n, { id }] of all.entries()) {
    if (all.findIndex((one) => one.id === id) < n)
      throw new Error(`${list}[${n}].${field}: ${quote(id)} is there twice`);
  }
}

function refuseTwiceKeys(verdicts: readonly SchemeVerdict[], scores: readonly SchemeScore[]): void {
  const seen = new Map<string, string>();
  const places = [
    ...verdicts.map(({ key }, n) => [key, `verdicts[${n}].key`] as const),
    ...scores.map(({ key }, n) => [key, `scores[${n}].key`] as const),
  ];
  for (const [key, place] of places) {
    if (key === null) continue;
    const other = seen.get(key);
    if (other !== undefined) throw new Error(`${place}: ${other} is ${quote(key)}, too`);
    seen.set(key, place);
  }
}

function readObject(value: unknown, place: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  const where = place === '' ? 'the scheme' : place;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where}: must be an object`);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new Error(`${place === '' ? '' : `${place}.`}${printKey(unknown)}: unknown; known are ${known.join(', ')}`);
  }
  return Object.fromEntries(Object.entries(value));
}

function printKey(key: string): string {
  return /^\w{1,64}$/.test(key) ? key : quote(key.slice(0, 64));
}

function readList(value: unknown, place: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${place}: must be a list`);
  if (value.length > most) throw new Error(`${place}: has more than ${most} entries`);
  return value;
}

function readId(value: unknown, place: string): string {
  if (typeof value === 'string' && ID.test(value)) return value;
  throw new Error(`${place}: must be 1 to 64 letters, digits, - or _`);
}

const ID = /^[A-Za-z0-9_-]{1,64}$/;

function readText(value: unknown, place: string): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= LONGEST_TITLE && !/\p{Cc}/u.test(value)) {
    return value;
  }
  throw new Error(`${place}: must be a text of 1 to ${LONGEST_TITLE} characters in one line`);
}

function readKey(value: unknown, place: string): string | null {
  if (value === null) return null;
  if (typeof value !== 'string' || !/^[a-z0-9]$/.test(value))
    throw new Error(`${place}: must be one of a to z and 0 to 9`);
  const own = OWN_KEYS.get(value);
  if (own !== undefined) throw new Error(`${place}: ${value} ${own}`);
  return value;
}

function readInteger(value: unknown, place: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new Error(`${place}: must be a whole number`);
}

function readFlag(value: unknown, place: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`${place}: must be true or false`);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
