import type { FileRecord } from '../../../shared/contract/files.ts';
import { runToEnd, type Sliced, visitInSlices } from '../../kit/ui/runInSlices.ts';
import { formatDate } from './describeFile.ts';

/** The files that contain every word of the text in their names, ids, descriptions, titles, modality, kind or path. */
export function* findFiles(files: readonly FileRecord[], text: string): Sliced<readonly FileRecord[]> {
  const words = toWords(text);
  if (words.length === 0) return files;
  const found: FileRecord[] = [];
  let like: FileRecord | undefined;
  let missing: readonly string[] = words;
  yield* visitInSlices(files, (file) => {
    // Most files differ from the one before only in their own UID and path.
    if (like === undefined || !isDescribedLike(file, like)) {
      like = file;
      missing = findMissing(words, file);
    }
    if (missing.every((word) => word.length > 2 && isInAddress(file, word))) found.push(file);
  });
  return found;
}

/** As `findFiles`, at once. */
export function filterFiles(files: readonly FileRecord[], text: string): readonly FileRecord[] {
  return runToEnd(findFiles(files, text));
}

export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The words that are not in what describes a file and all others like it. */
function findMissing(words: readonly string[], file: FileRecord): string[] {
  const description = describe(file);
  const uids = `${file.series_instance_uid}\n${file.study_instance_uid}`;
  return words.filter((word) =>
    // One or two characters match only at the beginning of a word, and not in UIDs and paths: `ct` should not find
    // every structured report, nor `2` every UID.
    word.length > 2 ? !description.includes(word) && !uids.includes(word) : !beginsWord(description, word),
  );
}

function isInAddress({ sop_instance_uid, path }: FileRecord, word: string): boolean {
  return sop_instance_uid.includes(word) || path.toLowerCase().includes(word);
}

function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}

/** In the order in which a difference is found soonest. */
const DESCRIBED = [
  'series_instance_uid',
  'study_instance_uid',
  'object_kind',
  'sop_class_name',
  'content_title',
  'series_number',
  'series_description',
  'modality',
  'study_date',
  'study_description',
  'patient_id',
  'patient_name',
] as const satisfies (keyof FileRecord)[];

function isDescribedLike(a: FileRecord, b: FileRecord): boolean {
  return DESCRIBED.every((field) => a[field] === b[field]);
}

function describe(file: Pick<FileRecord, (typeof DESCRIBED)[number]>): string {
  return [
    file.patient_name,
    file.patient_name.replaceAll('^', ' '),
    file.patient_id,
    file.study_description,
    file.study_date,
    formatDate(file.study_date),
    file.series_description,
    file.series_number,
    file.modality,
    file.object_kind.replaceAll('_', ' '),
    file.sop_class_name ?? '',
    file.content_title ?? '',
  ]
    .join('\n')
    .toLowerCase();
}
