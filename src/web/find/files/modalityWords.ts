import type { FileRecord } from '../../../shared/contract/files.ts';

type Modality = {
  /** As people call it. */
  readonly title: string;
  /** Other words for it, in lower case and without hyphens. The beginning of one is enough. */
  readonly words?: readonly string[];
};

const XRAY = ['xrays', 'radiography', 'radiographs'];
const CURVES = ['waveforms', 'curves'];

const MODALITIES: Readonly<Record<string, Modality>> = {
  ANN: { title: 'Annotations' },
  CR: { title: 'X-ray', words: XRAY },
  CT: { title: 'CT', words: ['computed tomography', 'tomography', 'cat'] },
  DOC: { title: 'Document', words: ['documents', 'pdf'] },
  DX: { title: 'X-ray', words: XRAY },
  ECG: { title: 'ECG', words: ['ekg', 'electrocardiogram', ...CURVES] },
  EEG: { title: 'EEG', words: CURVES },
  ES: { title: 'Endoscopy' },
  GM: { title: 'Microscopy', words: ['pathology', 'histology'] },
  IO: { title: 'Dental X-ray', words: [...XRAY, 'intraoral'] },
  IVUS: { title: 'Ultrasound in vessels', words: ['ultrasounds', 'intravascular'] },
  KO: { title: 'Key objects', words: ['key images'] },
  M3D: { title: '3D model', words: ['models', 'mesh', 'stl'] },
  MG: { title: 'Mammography', words: ['mammograms', 'breast'] },
  MR: { title: 'MRI', words: ['magnetic resonance', 'mrt'] },
  NM: { title: 'Nuclear medicine', words: ['spect', 'scintigraphy'] },
  OCT: { title: 'OCT', words: ['optical coherence tomography'] },
  OP: { title: 'Eye photo', words: ['ophthalmic', 'fundus', 'retina'] },
  OPT: { title: 'OCT of an eye', words: ['oct', 'ophthalmic', 'retina'] },
  OT: { title: 'Other' },
  PR: { title: 'Presentation state', words: ['gsps'] },
  PT: { title: 'PET', words: ['positron'] },
  PX: { title: 'Dental panorama', words: [...XRAY, 'panoramic'] },
  REG: { title: 'Registration' },
  RF: { title: 'Fluoroscopy', words: XRAY },
  RTDOSE: { title: 'Dose', words: ['doses', 'radiotherapy'] },
  RTIMAGE: { title: 'Image of radiotherapy', words: ['portal', 'radiotherapy'] },
  RTPLAN: { title: 'Plan', words: ['plans', 'radiotherapy', 'treatment'] },
  RTRECORD: { title: 'Treatment record', words: ['radiotherapy'] },
  RTSTRUCT: { title: 'Structures', words: ['structure set', 'contours', 'rois', 'radiotherapy'] },
  RWV: { title: 'Real-world values' },
  SC: { title: 'Secondary capture', words: ['screenshots'] },
  SEG: { title: 'Segmentation', words: ['segmentations', 'masks', 'labels'] },
  SM: { title: 'Slide', words: ['slides', 'pathology', 'wsi', 'whole slide', 'histology', 'microscopy'] },
  SR: { title: 'Report', words: ['reports', 'structured report'] },
  US: { title: 'Ultrasound', words: ['ultrasounds', 'sonography', 'echo'] },
  XA: { title: 'Angiography', words: ['angiograms', ...XRAY] },
  XC: { title: 'Photo', words: ['photos', 'photographs'] },
};

/** A modality of the list, by its code. */
export type ListedModality = { readonly code: string; readonly title: string; readonly count: number };

const COUNTED = new WeakMap<readonly FileRecord[], readonly ListedModality[]>();

/** Those of the files, the most frequent first. */
export function listModalities(files: readonly FileRecord[]): readonly ListedModality[] {
  const known = COUNTED.get(files);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  for (const { modality } of files) {
    if (modality !== '') counts.set(modality, (counts.get(modality) ?? 0) + 1);
  }
  const listed = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([code, count]) => ({ code, count, title: MODALITIES[code]?.title ?? code }));
  COUNTED.set(files, listed);
  return listed;
}

/** Those whose code, title or other word begins so; those that the whole word names come first. */
export function findModalities(typed: string, files: readonly FileRecord[]): readonly ListedModality[] {
  const wanted = plain(typed);
  if (wanted === '') return [];
  const named = listModalities(files).map((one) => ({
    one,
    words: [one.code, one.title, ...(MODALITIES[one.code]?.words ?? [])].map(plain),
  }));
  const isWhole = ({ words }: (typeof named)[number]) => words.includes(wanted);
  return named
    .filter(({ words }) => words.some((word) => word.startsWith(wanted)))
    .toSorted((a, b) => Number(isWhole(b)) - Number(isWhole(a)))
    .map(({ one }) => one);
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll('-', '');
}
