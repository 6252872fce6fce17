import { createHmac } from 'node:crypto';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/** The name under which threads inherit the key. */
const KEY_NAME = 'negato.mask-key';

/** Pseudonyms. They are the same for the same original, and tell nothing about it to anyone without the key. */
export type Masker = {
  /** A UID below 2.25 in place of another one. */
  uid(original: string): string;
  /** Hexadecimal digits in place of a text. */
  token(original: string, digits: number): string;
  /** Number of days that the dates of a patient are moved into the past. */
  dayShift(patient: string): number;
};

/**
 * Everything that is read from now on is masked, in this thread and in every thread that is started later: the key is
 * part of what Node hands to each new thread, so that none can be started without it. Undefined ends it.
 */
export function setMaskKey(key: Uint8Array | undefined): void {
  setEnvironmentData(KEY_NAME, key);
}

let known: { readonly key: Uint8Array; readonly masker: Masker } | undefined;

/** Undefined if nothing is masked. */
export function findMasker(): Masker | undefined {
  const key: unknown = getEnvironmentData(KEY_NAME);
  if (!(key instanceof Uint8Array)) return undefined;
  if (known?.key !== key) known = { key, masker: createMasker(key) };
  return known.masker;
}

export function isMasked(): boolean {
  return findMasker() !== undefined;
}

/** Most files of a series repeat the same UIDs. */
const MOST_KNOWN = 4096;
const LEAST_SHIFT_DAYS = 30;
const SHIFTS = 3650;

export function createMasker(key: Uint8Array): Masker {
  const uids = new Map<string, string>();
  const digest = (purpose: string, original: string) =>
    createHmac('sha256', key).update(`${purpose}\0${original}`).digest();

  return {
    uid(original) {
      const found = uids.get(original);
      if (found !== undefined) return found;
      if (uids.size >= MOST_KNOWN) uids.clear();
      const masked = toUid(digest('uid', original));
      uids.set(original, masked);
      return masked;
    },
    token: (original, digits) => digest('text', original).toString('hex').slice(0, digits),
    dayShift: (patient) => LEAST_SHIFT_DAYS + (digest('days', patient).readUInt32BE(0) % SHIFTS),
  };
}

/** The form of PS3.5 B.2: 2.25 and a UUID as one number. The version 8 of RFC 9562 is for bits of one's own. */
function toUid(bytes: Buffer): string {
  const uuid = bytes.subarray(0, 16);
  uuid[6] = (uuid[6]! & 0x0f) | 0x80;
  uuid[8] = (uuid[8]! & 0x3f) | 0x80;
  return `2.25.${BigInt(`0x${uuid.toString('hex')}`)}`;
}
