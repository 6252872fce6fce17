import type { ObjectKind } from '../../shared/contract/files.ts';

/** What of an object decides its kind. */
export type ObjectTraits = {
  readonly sopClassUid: string;
  readonly transferSyntaxUid: string;
  readonly hasPixels: boolean;
  readonly hasFunctionalGroups: boolean;
};

export function classifyObject({ sopClassUid, transferSyntaxUid, hasPixels, hasFunctionalGroups }: ObjectTraits): ObjectKind {
  const kind = kindOfSopClass(sopClassUid);
  // A private class, or none: only the content speaks.
  if (kind === undefined && !hasPixels) return 'unknown';
  if (kind === undefined || kind === 'image' || IMAGE_KINDS.has(kind)) {
    if (isVideoSyntax(transferSyntaxUid)) return 'video';
    if (kind === undefined || kind === 'image') return hasFunctionalGroups ? 'enhanced_image' : 'classic_image';
  }
  return kind;
}

/** MPEG-2, H.264 and HEVC: .100 to .108, with `.1` for the fragmentable forms. PS3.6 Table A-1. */
export function isVideoSyntax(transferSyntaxUid: string): boolean {
  return /^1\.2\.840\.10008\.1\.2\.4\.10[0-8](\.1)?$/.test(transferSyntaxUid);
}

/** `image` where the standard lets objects of one class be with or without functional groups. */
export function kindOfSopClass(uid: string): ObjectKind | 'image' | undefined {
  if (!uid.startsWith(ROOT)) return undefined;
  return KIND_OF_SOP_CLASS.get(uid.slice(ROOT.length));
}

const IMAGE_KINDS: ReadonlySet<ObjectKind> = new Set(['classic_image', 'enhanced_image', 'video']);

const ROOT = '1.2.840.10008.5.1.';

/** Every storage class of PS3.6 Annex A, retired ones included, by what follows the root. */
const SOP_CLASSES: Readonly<Record<ObjectKind | 'image', readonly string[]>> = {
  classic_image: [
    ...['4.1.1.1', '4.1.1.1.1', '4.1.1.1.1.1', '4.1.1.1.2', '4.1.1.1.2.1', '4.1.1.1.3', '4.1.1.1.3.1'], // CR, DX, MG, IO
    ...['4.1.1.2', '4.1.1.2.3', '4.1.1.4', '4.1.1.20', '4.1.1.5', '4.1.1.128'], // CT, MR, NM, PET
    ...['4.1.1.3', '4.1.1.3.1', '4.1.1.6', '4.1.1.6.1'], // ultrasound
    ...['4.1.1.7', '4.1.1.12.1', '4.1.1.12.2', '4.1.1.12.3'], // secondary capture, XA, XRF
    ...['4.1.1.77.1', '4.1.1.77.2', '4.1.1.77.1.1', '4.1.1.77.1.2', '4.1.1.77.1.3', '4.1.1.77.1.4', '4.1.1.77.1.7'], // visible light
    ...['4.1.1.77.1.5.1', '4.1.1.77.1.5.2', '4.1.1.77.1.5.5', '4.1.1.77.1.5.6', '4.1.1.77.1.5.7'], // ophthalmic
    ...['4.1.1.81.1', '4.1.1.82.1'], // ophthalmic thickness and corneal topography maps
    ...['1.29', '1.30'], // hardcopy
    ...['4.1.1.601.1', '4.1.1.601.3'], // eddy current, thermography
  ],
  image: [
    ...['4.1.1.7.1', '4.1.1.7.2', '4.1.1.7.3', '4.1.1.7.4'], // multi-frame secondary capture
    ...['4.1.1.77.1.8'], // confocal microscopy
    ...['4.1.1.501.1', '4.1.1.501.2.1', '4.1.1.501.2.2', '4.1.1.501.4', '4.1.1.501.5'], // security (DICOS)
    ...['4.1.1.601.2', '4.1.1.601.4'], // multi-frame eddy current, thermography
  ],
  enhanced_image: [
    ...['4.1.1.2.1', '4.1.1.2.2', '4.1.1.2.4', '4.1.1.2.5'], // CT
    ...['4.1.1.4.1', '4.1.1.4.3', '4.1.1.4.4', '4.1.1.128.1', '4.1.1.130'], // MR, PET
    ...['4.1.1.12.1.1', '4.1.1.12.2.1'], // XA, XRF
    ...['4.1.1.13.1.1', '4.1.1.13.1.2', '4.1.1.13.1.3', '4.1.1.13.1.4', '4.1.1.13.1.5'], // X-ray 3D, tomosynthesis
    ...['4.1.1.14.1', '4.1.1.14.2', '4.1.1.77.1.5.4', '4.1.1.77.1.5.8'], // optical coherence tomography
    ...['4.1.1.6.2', '4.1.1.6.3'], // ultrasound volume, photoacoustic
  ],
  whole_slide_microscopy: ['4.1.1.77.1.6', '4.1.1.77.1.9'],
  segmentation: ['4.1.1.66.4', '4.1.1.66.5', '4.1.1.66.7', '4.1.1.66.8'],
  parametric_map: ['4.1.1.30'],
  real_world_value_mapping: ['4.1.1.67'],
  presentation_state: [
    ...['4.1.1.11.1', '4.1.1.11.2', '4.1.1.11.3', '4.1.1.11.4', '4.1.1.11.5', '4.1.1.11.6', '4.1.1.11.7'],
    ...['4.1.1.11.8', '4.1.1.11.9', '4.1.1.11.10', '4.1.1.11.11', '4.1.1.11.12'],
    ...['4.1.1.9.100.1', '4.1.1.9.100.2', '4.1.1.131'], // of waveforms; structured display
    ...['4.1.1.8', '4.1.1.10', '4.1.1.11'], // standalone overlay, modality LUT, VOI LUT
  ],
  registration: ['4.1.1.66.1', '4.1.1.66.2', '4.1.1.66.3', '4.1.1.77.1.5.3'],
  structured_report: [
    ...['4.1.1.88.1', '4.1.1.88.2', '4.1.1.88.3', '4.1.1.88.4', '4.1.1.88.11', '4.1.1.88.22', '4.1.1.88.33'],
    ...['4.1.1.88.34', '4.1.1.88.35', '4.1.1.88.40', '4.1.1.88.50', '4.1.1.88.65', '4.1.1.88.67', '4.1.1.88.68'],
    ...['4.1.1.88.69', '4.1.1.88.70', '4.1.1.88.71', '4.1.1.88.72', '4.1.1.88.73', '4.1.1.88.74', '4.1.1.88.75'],
    ...['4.1.1.88.76', '4.1.1.88.77', '4.1.1.79.1'], // the last: macular grid report
  ],
  key_object_selection: ['4.1.1.88.59'],
  waveform: [
    ...['4.1.1.9.1', '4.1.1.9.1.1', '4.1.1.9.1.2', '4.1.1.9.1.3', '4.1.1.9.1.4', '4.1.1.9.2.1', '4.1.1.9.3.1'],
    ...['4.1.1.9.4.1', '4.1.1.9.4.2', '4.1.1.9.5.1', '4.1.1.9.6.1', '4.1.1.9.6.2', '4.1.1.9.7.1', '4.1.1.9.7.2'],
    ...['4.1.1.9.7.3', '4.1.1.9.7.4', '4.1.1.9.8.1', '4.1.1.601.5'],
    ...['4.1.1.9', '4.1.1.129'], // standalone curves
  ],
  radiation_therapy: [
    ...['4.1.1.481.1', '4.1.1.481.2', '4.1.1.481.3', '4.1.1.481.4', '4.1.1.481.5', '4.1.1.481.6', '4.1.1.481.7'],
    ...['4.1.1.481.8', '4.1.1.481.9', '4.1.1.481.10', '4.1.1.481.11', '4.1.1.481.12', '4.1.1.481.13', '4.1.1.481.14'],
    ...['4.1.1.481.15', '4.1.1.481.16', '4.1.1.481.17', '4.1.1.481.18', '4.1.1.481.19', '4.1.1.481.20', '4.1.1.481.21'],
    ...['4.1.1.481.22', '4.1.1.481.23', '4.1.1.481.24', '4.1.1.481.25', '4.34.1', '4.34.7', '4.34.10'],
  ],
  encapsulated_document: ['4.1.1.104.1', '4.1.1.104.2', '4.1.1.104.3', '4.1.1.104.4', '4.1.1.104.5'],
  video: ['4.1.1.77.1.1.1', '4.1.1.77.1.2.1', '4.1.1.77.1.4.1'],
  // Known to the standard, and none of the kinds above.
  unknown: [
    ...['4.1.1.4.2', '4.1.1.66', '4.1.1.66.6', '4.1.1.68.1', '4.1.1.68.2'], // spectroscopy, raw data, tracts, surfaces
    ...['4.1.1.78.1', '4.1.1.78.2', '4.1.1.78.3', '4.1.1.78.4', '4.1.1.78.5', '4.1.1.78.6', '4.1.1.78.7', '4.1.1.78.8'], // eye measurements
    ...['4.1.1.80.1', '4.1.1.90.1', '4.1.1.91.1'], // perimetry, content assessment, microscopy annotations
    ...['4.1.1.200.1', '4.1.1.200.2', '4.1.1.200.3', '4.1.1.200.7', '4.1.1.200.8', '4.1.1.201.1'], // protocols, inventory
    ...['4.1.1.501.3', '4.1.1.501.6'], // threat report, quadrupole resonance
    ...['4.38.1', '4.39.1', '4.43.1', '4.44.1', '4.45.1', '1.27'], // hanging protocol, palette, implants, stored print
  ],
};

const KIND_OF_SOP_CLASS: ReadonlyMap<string, ObjectKind | 'image'> = new Map(
  (Object.keys(SOP_CLASSES) as (ObjectKind | 'image')[]).flatMap((kind) => SOP_CLASSES[kind].map((tail) => [tail, kind])),
);
