import { hasOutline, isAreaKind, isMask, type MarkKind, type MarkPlaceType, traitsOf } from './markTraits.ts';

/** A form in which marks are files. What reads and writes a text is in `server/work/marks/formats/text`, by its name. */
export type MarkFormat = {
  /** What it is in the menu of the page; absent: not there. */
  readonly title?: string;
  /** What a user would save it for. */
  readonly purpose?: string;
  readonly mediaType: string;
  /** The name of a written file; what it ends with tells the format of a file that is read. */
  readonly fileName: string;
  /** How it leaves: part by part, as one report of a study, as the pixels of a series, or in the form of the journal. */
  readonly writes?: 'text' | 'study report' | 'volume' | 'journal';
  readonly reads?: 'text' | 'volume';
  /** Whether one that is in a body must say so, because pages of other origins could send it otherwise. JSON always must. */
  readonly accepts?: RegExp;
  /** Of a text: what is before, between and after the parts that are written; absent: nothing. */
  readonly around?: readonly [before: string, between: string, after: string];
  /** Ends of names that no other format has. */
  readonly endings?: readonly string[];
  /** What a file of JSON has that those of no other format have. */
  readonly member?: readonly [name: string, is: 'list' | 'text'];
  /** What it can hold. */
  readonly holds: (kind: MarkKind, place: MarkPlaceType) => boolean;
  /** Whether it has the outline of each frame of a mark through a stack, and does not tell which were drawn. */
  readonly isByFrame?: boolean;
};

const BYTES = /^application\/(octet-stream|gzip)\b/i;

const isPixels = (kind: MarkKind, place: MarkPlaceType) =>
  isAreaKind(kind) && ['frame', 'stack', 'volume'].includes(place);

/** Every format of marks. */
export const MARK_FORMATS = {
  csv: {
    title: 'CSV',
    purpose: 'one row for each mark, with millimetres, for tables',
    mediaType: 'text/csv; charset=utf-8',
    fileName: 'negato-marks.csv',
    writes: 'text',
    reads: 'text',
    accepts: /^text\/csv\b/i,
    endings: ['.csv'],
    // Masks have tiles on slides, and a row has no place for them.
    holds: (kind, place) => !(isMask(kind) && place === 'slide'),
  },
  coco: {
    title: 'COCO JSON',
    purpose: 'boxes, polygons and masks on images, for training',
    mediaType: 'application/json',
    fileName: 'negato-marks.coco.json',
    writes: 'text',
    reads: 'text',
    // Images and categories come last, because they are numbered while their annotations are written.
    around: ['{"info":{"description":"negato marks"},"annotations":[\n', ',\n', ''],
    member: ['annotations', 'list'],
    holds: (kind, place) => isAreaKind(kind) && ['frame', 'stack'].includes(place),
    isByFrame: true,
  },
  geojson: {
    title: 'GeoJSON',
    purpose: 'marks on slides and images, for QuPath',
    mediaType: 'application/geo+json',
    fileName: 'negato-marks.geojson',
    writes: 'text',
    reads: 'text',
    around: ['{"type":"FeatureCollection","features":[\n', ',\n', '\n]}\n'],
    endings: ['.geojson'],
    holds: (_, place) => ['slide', 'frame'].includes(place),
  },
  /** That of GET /marks/export.json, which has the form of the journal. */
  json: {
    title: 'JSON',
    purpose: 'all marks and classes, to go on with them in negato',
    mediaType: 'application/json',
    fileName: 'negato-marks.json',
    writes: 'journal',
    reads: 'text',
    member: ['format', 'text'],
    holds: () => true,
  },
  sr: {
    title: 'DICOM report',
    purpose: 'measurements of the shown study, for archives',
    mediaType: 'application/dicom',
    fileName: 'negato-marks.sr.dcm',
    writes: 'study report',
    holds(kind, place) {
      const { shape, measures } = traitsOf(kind);
      const isSaid = hasOutline(kind) || shape === 'point' || measures !== 'nothing';
      return isSaid && ['frame', 'stack', 'slide', 'plane'].includes(place);
    },
    isByFrame: true,
  },
  seg: {
    title: 'DICOM SEG',
    purpose: 'areas of the shown series as segments, for archives',
    mediaType: 'application/dicom',
    fileName: 'marks.seg.dcm',
    writes: 'volume',
    holds: isPixels,
  },
  'nii.gz': {
    title: 'NIfTI',
    purpose: 'areas of the shown series as labels, for training',
    mediaType: 'application/gzip',
    fileName: 'marks.nii.gz',
    writes: 'volume',
    holds: isPixels,
  },
  nii: { mediaType: 'application/octet-stream', fileName: 'marks.nii', writes: 'volume', holds: isPixels },
  nifti: {
    mediaType: 'application/octet-stream',
    fileName: 'marks.nii',
    reads: 'volume',
    accepts: BYTES,
    endings: ['.nii', '.nii.gz'],
    holds: isPixels,
  },
  nrrd: {
    title: 'NRRD',
    purpose: 'areas of the shown series as segments, for 3D Slicer',
    mediaType: 'application/octet-stream',
    fileName: 'marks.seg.nrrd',
    writes: 'volume',
    reads: 'volume',
    accepts: BYTES,
    endings: ['.nrrd'],
    holds: isPixels,
  },
} as const satisfies Readonly<Record<string, MarkFormat>>;

type Formats = typeof MARK_FORMATS;
export type MarkFormatName = keyof Formats;
/** The formats that are written, or read, in one of these ways. */
type Named<Way extends Partial<MarkFormat>> = {
  [Name in MarkFormatName]: Formats[Name] extends Way ? Name : never;
}[MarkFormatName];

/** Formats that are written in parts. */
export type MarkTextFormat = Named<{ writes: 'text' }>;
/** Formats of other programs in which marks leave. */
export type MarkExportFormat = Named<{ writes: 'text' | 'study report' }>;
/** Formats that have marks as pixels. */
export type MarkVolumeFormat = Named<{ writes: 'volume' }>;
export type MarkTextImport = Named<{ reads: 'text' }>;
/** Label volumes that become masks. */
export type MarkVolumeImport = Named<{ reads: 'volume' }>;
/** Formats from which marks come back. */
export type MarkImportFormat = MarkTextImport | MarkVolumeImport;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
const NAMES = Object.keys(MARK_FORMATS) as readonly MarkFormatName[];

export function formatOf(name: MarkFormatName): MarkFormat {
  return MARK_FORMATS[name];
}

export const isMarkExport = (name: MarkFormatName): name is MarkExportFormat =>
  ['text', 'study report'].includes(formatOf(name).writes ?? '');
export const isMarkVolumeExport = (name: MarkFormatName): name is MarkVolumeFormat =>
  formatOf(name).writes === 'volume';
const isImport = (name: MarkFormatName): name is MarkImportFormat => formatOf(name).reads !== undefined;

export function isVolumeImport(name: MarkFormatName): name is MarkVolumeImport {
  return formatOf(name).reads === 'volume';
}

export const MARK_EXPORT_FORMATS = NAMES.filter(isMarkExport);
export const MARK_VOLUME_FORMATS = NAMES.filter(isMarkVolumeExport);
export const MARK_IMPORT_FORMATS = NAMES.filter(isImport);
/** Those that a user can save. */
export const MARK_SAVED_FORMATS = NAMES.filter((name) => formatOf(name).title !== undefined);
