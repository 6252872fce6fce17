import type { FileRecord } from '../../shared/contract/files.ts';
import { formatDate } from './describeFile.ts';

/** The files that contain every word of the text in their names, ids, descriptions, modality, kind or path. */
export function filterFiles(files: readonly FileRecord[], text: string): readonly FileRecord[] {
  const words = toWords(text);
  if (words.length === 0) return files;
  const tests = words.map(toTest);
  return files.filter((file) => tests.every((holds) => holds(file)));
}

export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/**
 * One or two characters match only at the beginning of a word, and not in UIDs and paths: `ct` should not find every
 * structured report, nor `2` every UID.
 */
function toTest(word: string): (file: FileRecord) => boolean {
  if (word.length > 2) return (file) => textOf(file).includes(word) || addressOf(file).includes(word);
  return (file) => beginsWord(textOf(file), word);
}

function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true;
  }
  return false;
}

function textOf(file: FileRecord): string {
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
  ]
    .join('\n')
    .toLowerCase();
}

function addressOf(file: FileRecord): string {
  return [file.sop_instance_uid, file.series_instance_uid, file.study_instance_uid, file.path].join('\n').toLowerCase();
}
