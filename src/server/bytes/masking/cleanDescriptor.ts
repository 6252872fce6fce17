import { DESCRIPTOR_WORDS } from './descriptorWords.ts';

const LONGEST_SHORT_TEXT = 16;
const REMOVED = '*';

/**
 * Keeps the words of a description that say what was measured and how, and puts an asterisk in place of all others (Clean
 * Descriptors Option). A word is kept because it is in a list; `own` are words of this patient, which are kept in no case.
 */
export function cleanDescriptor(text: string, { vr, own }: { vr: string; own: ReadonlySet<string> }): string {
  const words = text
    .split(/[\s_,;/\\|()[\]{}"'=^<>]+/)
    .filter((word) => word !== '')
    .map((word) => (isKept(word, own) ? word : REMOVED));
  const kept = words.filter((word, at) => word !== REMOVED || words[at - 1] !== REMOVED);
  // Whole words, as many as the VR has room for.
  const room = vr === 'SH' ? LONGEST_SHORT_TEXT : Infinity;
  while (kept.join(' ').length > room) kept.pop();
  return kept.join(' ');
}

/** Of words with hyphens and dots in them, each part. Numbers of up to three digits are neither dates nor IDs. */
function isKept(word: string, own: ReadonlySet<string>): boolean {
  return word.split(/[-+.:&]/).every((part) => part === '' || isKeptPart(part.toLowerCase(), own));
}

function isKeptPart(part: string, own: ReadonlySet<string>): boolean {
  if (own.has(part)) return false;
  return /^\d{1,3}(?:mm|cm|ms|s|t|d|x|%)?$/.test(part) || DESCRIPTOR_WORDS.has(part);
}
