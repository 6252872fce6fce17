import type { FileRecord } from '../../../shared/contract/files.ts';
import { formatDate, formatPersonName } from '../../../shared/dicomTexts.ts';
import { titleOfLayer } from '../../../shared/layerTitle.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

export { formatDate, formatPersonName } from '../../../shared/dicomTexts.ts';

export function describePatient({ patient_name, patient_id }: FileRecord): string {
  return formatPersonName(patient_name) || patient_id || 'No patient name';
}

export function describeStudy({ study_date, study_description }: FileRecord): string {
  return join([formatDate(study_date), study_description]) || 'Study';
}

export function describeSeries({ series_number, series_description, modality, object_kind }: FileRecord): string {
  if (series_description.trim() === '' && series_number !== '') return `Series ${series_number}`;
  return join([series_number, series_description]) || modality || formatKind(object_kind);
}

/** What people call a file that lies over images; the server gives the same title to its layer. */
export function nameLayerOfFile(file: FileRecord): string {
  return titleOfLayer({
    objectKind: file.object_kind,
    sopClassUid: file.sop_class_uid,
    modality: file.modality,
    seriesNumber: file.series_number,
    seriesDescription: file.series_description,
    contentTitle: file.content_title ?? undefined,
  });
}

/** The title that a document has by itself, and what it is. */
export function describeDocument(file: FileRecord): string {
  const kind = nameObject(file);
  return file.content_title === null || file.content_title === kind ? kind : `${file.content_title} · ${kind}`;
}

/** What a file is: `Basic Text SR`, `RT Plan`, or the kind of a private class. */
export function nameObject({ sop_class_name, object_kind }: FileRecord): string {
  const name = sop_class_name?.replace(/ Storage\b/, '').replace(/ SOP Class\b/, '');
  return name ?? (object_kind === 'unknown' ? 'private object' : formatKind(object_kind));
}

export function formatKind(kind: FileRecord['object_kind']): string {
  return kind.replaceAll('_', ' ');
}

const REASONS: Readonly<Record<string, string>> = {
  'pixel_data.absent': 'The file contains no image.',
  'pixel_data.inflate_limit': 'The image lies beyond the limit of inflation.',
  'pixel_data.truncated': 'The file ends before its first image is complete.',
  'masked.slide_label': 'Pictures of the label of a slide are not shown in a masked run.',
  'transfer_syntax.video': 'The file contains a video, whose frames this browser does not decode.',
  'transfer_syntax.jpip': 'The images are on another server.',
  'transfer_syntax.smpte_st_2110': 'The file describes video over a network and contains no images.',
  'transfer_syntax.unknown': 'The transfer syntax is not defined in the DICOM standard.',
  'transfer_syntax.mismatch': 'The transfer syntax contradicts the way in which the images are stored.',
  'pixel_layout.number_of_frames': 'The file does not declare how many images it contains.',
  'pixel_layout.size_zero': 'The images have no rows or no columns.',
  'pixel_layout.too_large': 'The images are too large.',
  'pixel_layout.palette_missing': 'The images use a color palette that is missing from the file.',
  'pixel_layout.float_samples': 'The floating-point samples are not stored as the standard requires.',
};

/** A sentence that explains why a file has no picture. The code, for programs, is in the server's list of files. */
export function explainMissingPicture({ support_reason, support_state }: FileRecord): string {
  const code = support_reason ?? support_state;
  const [subject, problem = ''] = code.split('.');
  const [, missing] = /^(.*)_missing$/.exec(problem) ?? [];
  if (REASONS[code] !== undefined) return REASONS[code];
  if (subject !== 'pixel_layout') return 'negato has no decoder for the transfer syntax of this file.';
  if (missing !== undefined) return `${nameAttribute(missing)} is missing, so the pixels cannot be read.`;
  return `The pixels are stored in a way that is not supported (${nameAttribute(problem)}).`;
}

/** Converts `bits_allocated` to `Bits Allocated`, the name in the standard. */
function nameAttribute(problem: string): string {
  const words = problem
    .split('_')
    .map((word) => (word === 'per' ? word : word.charAt(0).toUpperCase() + word.slice(1)));
  return SHORT_NAMES[problem] ?? words.join(' ');
}

const SHORT_NAMES: Readonly<Record<string, string>> = {
  argb: 'ARGB color',
  cmyk: 'CMYK color',
  hsv: 'HSV color',
  odd_columns_422: 'odd number of columns with 4:2:2 color',
};

/** Whether a file should have a picture and has none that can be shown; other files are documents. */
export function isImageMissing({ has_pixels, support_state, object_kind }: FileRecord): boolean {
  // A video is decoded by the page. Where it cannot be, its cell says why.
  if (support_state === 'renderable' || object_kind === 'video') return false;
  return has_pixels || IMAGES.has(object_kind);
}

const IMAGES: ReadonlySet<FileRecord['object_kind']> = new Set<FileRecord['object_kind']>([
  'classic_image',
  'enhanced_image',
  'whole_slide_microscopy',
  'segmentation',
  'parametric_map',
]);

export function fileName({ path }: Pick<FileRecord, 'path'>): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}

function join(parts: readonly string[]): string {
  return parts.filter((part) => part.trim() !== '').join(' · ');
}
