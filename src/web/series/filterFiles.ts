import type { FileRecord } from '../../shared/contract/files.ts';
import { formatDate } from './describeFile.ts';

/** Files in whose names, ids, descriptions, modality, kind or path every word of the text occurs. */
export function filterFiles(files: readonly FileRecord[], text: string): readonly FileRecord[] {
  const words = toWords(text);
  if (words.length === 0) return files;
  return files.filter((file) => {
    const haystack = searchTextOf(file);
    return words.every((word) => haystack.includes(word));
  });
}

export function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function searchTextOf(file: FileRecord): string {
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
    file.sop_instance_uid,
    file.series_instance_uid,
    file.study_instance_uid,
    file.path,
  ]
    .join('\n')
    .toLowerCase();
}
