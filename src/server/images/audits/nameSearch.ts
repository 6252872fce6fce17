import type { DataSet } from '../../standard/dicom/dataSet.ts';
import { findTag } from '../../standard/dicom/dictionary.ts';

/** Finds the name and the IDs of one patient in texts. */
export type NameSearch = { readonly isIn: (text: string) => boolean };

const NAMES = ['PatientName', 'OtherPatientNames', 'PatientBirthName', 'PatientMotherBirthName'];
const IDS = ['PatientID', 'OtherPatientIDs'];
const MOST_VALUES = 8;
const MOST_WORDS = 32;
const LONGEST_WORD = 64;
/** Shorter words are in too many texts that have nothing to do with anybody. */
const SHORTEST_NAME = 3;
const SHORTEST_ID = 4;

/** What is in place of a name, and is in other texts as well. */
const NO_NAMES: ReadonlySet<string> = new Set([
  'patient',
  'anonymous',
  'anonymized',
  'anonymised',
  'anon',
  'deidentified',
  'removed',
  'masked',
  'unknown',
  'none',
  'name',
  'test',
  'phantom',
  'subject',
]);

/** Undefined if the data set says nothing about its patient that could be found elsewhere. */
export function createNameSearch(root: DataSet): NameSearch | undefined {
  const words = new Set<string>();
  for (const name of read(root, NAMES)) {
    for (const part of name.split(/[\^=\s,._-]+/)) if (isName(part)) words.add(part);
  }
  for (const id of read(root, IDS)) if (id.length >= SHORTEST_ID && isWord(id)) words.add(id);
  if (words.size === 0) return undefined;
  const choices = [...words]
    .slice(0, MOST_WORDS)
    .map((word) => word.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, String.raw`\$&`));
  // As whole words. Between them may be what separates the parts of a name.
  const pattern = new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${choices.join('|')})(?![\p{L}\p{N}])`, 'iu');
  return { isIn: (text) => pattern.test(text) };
}

function read(root: DataSet, keywords: readonly string[]): string[] {
  return keywords.flatMap((keyword) => {
    const tag = findTag(keyword);
    return tag === undefined ? [] : root.strings(tag, MOST_VALUES).map((value) => value.trim());
  });
}

function isName(part: string): boolean {
  return part.length >= SHORTEST_NAME && isWord(part) && !/^\d+$/.test(part);
}

function isWord(text: string): boolean {
  return text.length <= LONGEST_WORD && !NO_NAMES.has(text.toLowerCase());
}
