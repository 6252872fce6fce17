import { parseJson } from '../../../machine/workers/parseJson.ts';
import { isUidInAddress } from './remoteInput.ts';

/** Each sequence in a sequence takes three levels. PS3.18 annex F. */
const MOST_DEPTH = 128;

/** DICOM JSON of a server. A name in another character set than UTF-8 must not hide all its images. */
export function parseDicomJson(bytes: Uint8Array): unknown {
  return parseJson(new TextDecoder().decode(bytes), { depth: MOST_DEPTH });
}

/** PS3.18 F.2.2. */
export function firstValue(result: unknown, tag: string): unknown {
  const values = fieldOf(fieldOf(result, tag), 'Value');
  return Array.isArray(values) ? values[0] : undefined;
}

export function fieldOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null ? Reflect.get(object, name) : undefined;
}

export function toUid(value: unknown): string | undefined {
  return typeof value === 'string' && isUidInAddress(value) ? value : undefined;
}

/** Some servers send numbers as texts. */
export function toCount(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value);
  const count = isText || typeof value === 'number' ? Number(value) : NaN;
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
