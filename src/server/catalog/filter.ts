import type { FileDescription } from './dicomFile.ts';

/** Keeps the files whose field contains the text, whatever the case. */
export type Filter = { readonly field: FilterField; readonly text: string };

export type ParsedFilters =
  | { readonly ok: true; readonly filters: readonly Filter[] }
  | { readonly ok: false; readonly message: string };

/** Each filter reads `FIELD=VALUE`; the field goes by its DICOM keyword or by its name in the file list. */
export function parseFilters(texts: readonly string[]): ParsedFilters {
  const filters: Filter[] = [];
  for (const given of texts) {
    const equals = given.indexOf('=');
    if (equals < 0) return refuse(`"${given}" is not FIELD=VALUE`);
    const name = given.slice(0, equals).trim();
    const field = findField(name);
    if (field === undefined) return refuse(`"${name}" is not a field to filter by`);
    const text = given.slice(equals + 1).trim();
    if (text === '') return refuse(`"${name}" has no value to look for`);
    filters.push({ field, text: text.toLowerCase() });
  }
  return { ok: true, filters };
}

/** True when the file matches all of them. */
export function matchesFilters(file: FileDescription, filters: readonly Filter[]): boolean {
  return filters.every(({ field, text }) =>
    String(file[field] ?? '')
      .toLowerCase()
      .includes(text),
  );
}

type FilterField = (typeof FIELDS)[number]['field'];

// An alias is what dcmview calls it. Names in the file list that have no DICOM attribute behind them, or not only one, have no keyword.
const FIELDS = [
  { field: 'patientId', name: 'patient_id', keyword: 'PatientID' },
  { field: 'patientName', name: 'patient_name', keyword: 'PatientName' },
  { field: 'studyInstanceUid', name: 'study_instance_uid', alias: 'study_uid', keyword: 'StudyInstanceUID' },
  { field: 'studyDate', name: 'study_date', keyword: 'StudyDate' },
  { field: 'studyDescription', name: 'study_description', keyword: 'StudyDescription' },
  { field: 'seriesInstanceUid', name: 'series_instance_uid', alias: 'series_uid', keyword: 'SeriesInstanceUID' },
  { field: 'seriesNumber', name: 'series_number', keyword: 'SeriesNumber' },
  { field: 'seriesDescription', name: 'series_description', keyword: 'SeriesDescription' },
  { field: 'modality', name: 'modality', keyword: 'Modality' },
  { field: 'instanceNumber', name: 'instance_number', keyword: 'InstanceNumber' },
  { field: 'sopInstanceUid', name: 'sop_instance_uid', keyword: 'SOPInstanceUID' },
  { field: 'sopClassUid', name: 'sop_class_uid', keyword: 'SOPClassUID' },
  { field: 'sopClassName', name: 'sop_class_name' },
  { field: 'objectKind', name: 'object_kind' },
  { field: 'supportState', name: 'support_state' },
  { field: 'supportReason', name: 'support_reason' },
  { field: 'hasPixels', name: 'has_pixels' },
  { field: 'frameCount', name: 'frame_count', keyword: 'NumberOfFrames' },
  { field: 'rows', name: 'rows', keyword: 'Rows' },
  { field: 'columns', name: 'columns', keyword: 'Columns' },
  { field: 'samplesPerPixel', name: 'samples_per_pixel', keyword: 'SamplesPerPixel' },
  { field: 'bitsAllocated', name: 'bits_allocated', keyword: 'BitsAllocated' },
  { field: 'bitsStored', name: 'bits_stored', keyword: 'BitsStored' },
  { field: 'photometricInterpretation', name: 'photometric_interpretation', keyword: 'PhotometricInterpretation' },
  { field: 'transferSyntaxUid', name: 'transfer_syntax_uid', keyword: 'TransferSyntaxUID' },
  { field: 'transferSyntaxName', name: 'transfer_syntax_name' },
  { field: 'frameOfReferenceUid', name: 'frame_of_reference_uid', keyword: 'FrameOfReferenceUID' },
  { field: 'label', name: 'label' },
  { field: 'path', name: 'path' },
] as const satisfies readonly { field: keyof FileDescription; name: string; alias?: string; keyword?: string }[];

function findField(name: string): FilterField | undefined {
  const wanted = name.toLowerCase();
  return FIELDS.find(
    (known) =>
      known.name === wanted ||
      ('alias' in known && known.alias === wanted) ||
      ('keyword' in known && known.keyword.toLowerCase() === wanted),
  )?.field;
}

function refuse(problem: string): ParsedFilters {
  const names = FIELDS.map((known) => ('keyword' in known ? `${known.keyword} (${known.name})` : known.name));
  return { ok: false, message: `--filter: ${problem}; fields: ${names.join(', ')}` };
}
