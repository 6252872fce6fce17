import type { ObjectKind } from '../../../shared/contract/files.ts';

/** `image` if the standard allows objects of the class both with and without functional groups. */
export type SopClassKind = ObjectKind | 'image';

const ROOT = '1.2.840.10008.5.1.';

/**
 * Every storage class of PS3.6 Annex A, including retired ones: kind, description, and the part of the UIDs after the
 * root, where `1-3` stands for 1, 2 and 3. The kind `unknown` is deliberate: the class is in the standard, but is none
 * of the other kinds.
 */
const TABLE: readonly (readonly [kind: SopClassKind, what: string, tails: string])[] = [
  ['classic_image', 'CR, DX, MG, IO', '4.1.1.1 4.1.1.1.1 4.1.1.1.1.1 4.1.1.1.2 4.1.1.1.2.1 4.1.1.1.3 4.1.1.1.3.1'],
  ['classic_image', 'CT, MR, NM, PET', '4.1.1.2 4.1.1.2.3 4.1.1.4 4.1.1.20 4.1.1.5 4.1.1.128'],
  ['classic_image', 'ultrasound', '4.1.1.3 4.1.1.3.1 4.1.1.6 4.1.1.6.1'],
  ['classic_image', 'secondary capture, XA, XRF', '4.1.1.7 4.1.1.12.1-3'],
  ['classic_image', 'visible light', '4.1.1.77.1 4.1.1.77.2 4.1.1.77.1.1-4 4.1.1.77.1.7'],
  ['classic_image', 'ophthalmic', '4.1.1.77.1.5.1 4.1.1.77.1.5.2 4.1.1.77.1.5.5-7'],
  ['classic_image', 'ophthalmic thickness and corneal topography maps', '4.1.1.81.1 4.1.1.82.1'],
  ['classic_image', 'hardcopy', '1.29 1.30'],
  ['classic_image', 'eddy current, thermography', '4.1.1.601.1 4.1.1.601.3'],
  ['image', 'multi-frame secondary capture', '4.1.1.7.1-4'],
  ['image', 'confocal microscopy', '4.1.1.77.1.8'],
  ['image', 'security (DICOS)', '4.1.1.501.1 4.1.1.501.2.1 4.1.1.501.2.2 4.1.1.501.4 4.1.1.501.5'],
  ['image', 'multi-frame eddy current, thermography', '4.1.1.601.2 4.1.1.601.4'],
  ['enhanced_image', 'CT', '4.1.1.2.1 4.1.1.2.2 4.1.1.2.4 4.1.1.2.5'],
  ['enhanced_image', 'MR, PET', '4.1.1.4.1 4.1.1.4.3 4.1.1.4.4 4.1.1.128.1 4.1.1.130'],
  ['enhanced_image', 'XA, XRF', '4.1.1.12.1.1 4.1.1.12.2.1'],
  ['enhanced_image', 'X-ray 3D, tomosynthesis', '4.1.1.13.1.1-5'],
  ['enhanced_image', 'optical coherence tomography', '4.1.1.14.1 4.1.1.14.2 4.1.1.77.1.5.4 4.1.1.77.1.5.8'],
  ['enhanced_image', 'ultrasound volume, photoacoustic', '4.1.1.6.2 4.1.1.6.3'],
  ['whole_slide_microscopy', 'whole slide microscopy', '4.1.1.77.1.6 4.1.1.77.1.9'],
  ['segmentation', 'segmentation', '4.1.1.66.4 4.1.1.66.5 4.1.1.66.7 4.1.1.66.8'],
  ['parametric_map', 'parametric map', '4.1.1.30'],
  ['real_world_value_mapping', 'real world value mapping', '4.1.1.67'],
  ['presentation_state', 'softcopy and volumetric presentation states', '4.1.1.11.1-12'],
  [
    'presentation_state',
    'presentation states of waveforms, structured display',
    '4.1.1.9.100.1 4.1.1.9.100.2 4.1.1.131',
  ],
  ['presentation_state', 'standalone overlay, modality LUT, VOI LUT', '4.1.1.8 4.1.1.10 4.1.1.11'],
  ['registration', 'registration', '4.1.1.66.1-3 4.1.1.77.1.5.3'],
  [
    'structured_report',
    'structured reports',
    '4.1.1.88.1-4 4.1.1.88.11 4.1.1.88.22 4.1.1.88.33-35 4.1.1.88.40 4.1.1.88.50 4.1.1.88.65 4.1.1.88.67-77',
  ],
  ['structured_report', 'macular grid report', '4.1.1.79.1'],
  ['key_object_selection', 'key object selection', '4.1.1.88.59'],
  [
    'waveform',
    'waveforms',
    '4.1.1.9.1 4.1.1.9.1.1-4 4.1.1.9.2.1 4.1.1.9.3.1 4.1.1.9.4.1 4.1.1.9.4.2 4.1.1.9.5.1 4.1.1.9.6.1 4.1.1.9.6.2 4.1.1.9.7.1-4 4.1.1.9.8.1 4.1.1.601.5',
  ],
  ['waveform', 'standalone curves', '4.1.1.9 4.1.1.129'],
  ['radiation_therapy', 'radiation therapy', '4.1.1.481.1-25 4.34.1 4.34.7 4.34.10'],
  ['encapsulated_document', 'encapsulated document', '4.1.1.104.1-5'],
  ['video', 'video', '4.1.1.77.1.1.1 4.1.1.77.1.2.1 4.1.1.77.1.4.1'],
  ['unknown', 'spectroscopy, raw data, tracts, surfaces', '4.1.1.4.2 4.1.1.66 4.1.1.66.6 4.1.1.68.1 4.1.1.68.2'],
  ['unknown', 'eye measurements', '4.1.1.78.1-8'],
  ['unknown', 'perimetry, content assessment, microscopy annotations', '4.1.1.80.1 4.1.1.90.1 4.1.1.91.1'],
  ['unknown', 'protocols, inventory', '4.1.1.200.1-3 4.1.1.200.7 4.1.1.200.8 4.1.1.201.1'],
  ['unknown', 'threat report, quadrupole resonance', '4.1.1.501.3 4.1.1.501.6'],
  ['unknown', 'hanging protocol, palette, implants, stored print', '4.38.1 4.39.1 4.43.1 4.44.1 4.45.1 1.27'],
];

export const KIND_OF_SOP_CLASS: ReadonlyMap<string, SopClassKind> = new Map(
  TABLE.flatMap(([kind, , tails]) => listSopClasses(tails).map((uid) => [uid, kind])),
);

/** The UIDs of classes that are written as in the table. */
export function listSopClasses(tails: string): string[] {
  return tails
    .split(' ')
    .flatMap(expand)
    .map((tail) => ROOT + tail);
}

function expand(tail: string): string[] {
  const [, stem = '', first = '', last = ''] = /^(.*\.)(\d+)-(\d+)$/.exec(tail) ?? [];
  if (stem === '') return [tail];
  return Array.from({ length: Number(last) - Number(first) + 1 }, (_, step) => stem + String(Number(first) + step));
}
