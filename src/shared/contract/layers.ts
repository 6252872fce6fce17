import type { FieldValues } from './fileFields.ts';

/** The kinds of layers, in the order in which they lie over a picture, from the lowest to the highest. */
export const LAYER_KINDS = ['field', 'mask', 'contour', 'graphics', 'points'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

/** What an object puts over images. */
type LayerObject = {
  readonly kind: LayerKind;
  /** What a message calls such an object. */
  readonly noun: string;
  /** Whether a file is such an object. */
  readonly matches: (file: Pick<FieldValues, 'objectKind' | 'sopClassUid'>) => boolean;
  /** Without pixels there is nothing to draw. */
  readonly needsPixels: boolean;
  /** Whether it is also an image: opened by itself, and other layers may lie over it. */
  readonly isImage: boolean;
  /** Whether its parts enclose volumes, in which a dose can be measured. */
  readonly hasVolumes: boolean;
  /** Whether it opens as a document, because its content says more than what it draws over images. */
  readonly isReadFirst: boolean;
};

export const RT_DOSE_STORAGE = '1.2.840.10008.5.1.4.1.1.481.2';

const FIELD_KINDS: ReadonlySet<FieldValues['objectKind']> = new Set([
  'classic_image',
  'enhanced_image',
  'parametric_map',
]);

/** The objects that have a layer, by name. Server and page each have a provider for every line. */
export const LAYER_OBJECTS = {
  segmentation: {
    kind: 'mask',
    noun: 'segmentation',
    matches: ({ objectKind }) => objectKind === 'segmentation',
    needsPixels: true,
    isImage: false,
    hasVolumes: true,
    isReadFirst: false,
  },
  structureSet: {
    kind: 'contour',
    noun: 'structure set',
    matches: ({ sopClassUid }) => sopClassUid === '1.2.840.10008.5.1.4.1.1.481.3',
    needsPixels: false,
    isImage: false,
    hasVolumes: true,
    isReadFirst: false,
  },
  /** The values of a volume over the pictures of another one. */
  field: {
    kind: 'field',
    noun: 'volume',
    matches: ({ objectKind, sopClassUid }) => FIELD_KINDS.has(objectKind) || sopClassUid === RT_DOSE_STORAGE,
    needsPixels: true,
    isImage: true,
    hasVolumes: false,
    isReadFirst: false,
  },
  /** The regions of a structured report. */
  report: {
    kind: 'graphics',
    noun: 'report',
    matches: ({ objectKind }) => objectKind === 'structured_report',
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: true,
  },
  fiducials: {
    kind: 'graphics',
    noun: 'set of fiducials',
    matches: ({ sopClassUid }) => sopClassUid === '1.2.840.10008.5.1.4.1.1.66.2',
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: false,
  },
  /** The volume that spectra come from. */
  spectroscopy: {
    kind: 'graphics',
    noun: 'spectroscopy',
    matches: ({ sopClassUid }) => sopClassUid === '1.2.840.10008.5.1.4.1.1.4.2',
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: true,
  },
  /** Microscopy Bulk Simple Annotations. */
  slideAnnotations: {
    kind: 'points',
    noun: 'set of annotations',
    matches: ({ sopClassUid }) => sopClassUid === '1.2.840.10008.5.1.4.1.1.91.1',
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: false,
  },
  /** Model output that is no DICOM file. */
  attachment: {
    kind: 'mask',
    noun: 'attachment',
    matches: () => false,
    needsPixels: false,
    isImage: false,
    hasVolumes: false,
    isReadFirst: false,
  },
} as const satisfies Readonly<Record<string, LayerObject>>;

export type LayerName = keyof typeof LAYER_OBJECTS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const LAYER_NAMES = Object.keys(LAYER_OBJECTS) as LayerName[];

/** The kinds of the objects above: their packets can be requested and drawn. */
export type PacketKind = (typeof LAYER_OBJECTS)[LayerName]['kind'];
export const PACKET_KINDS: readonly PacketKind[] = [...new Set(LAYER_NAMES.map((name) => LAYER_OBJECTS[name].kind))];

/** How a layer gets to its place over an image. */
export const PLACEMENT_STATUSES = [
  /** Both have the same frame of reference. */
  'direct',
  /** Over one or more registrations. */
  'registered',
  'deformed',
  /** Pixel over pixel, because the object names the image. */
  'by_reference',
  /** The grid of an attachment is that of the images. */
  'by_grid',
  /** Only the sizes agree. */
  'by_shape',
  'ambiguous',
  'unavailable',
] as const;
export type PlacementStatus = (typeof PLACEMENT_STATUSES)[number];

/** The kinds of layers whose parts can be labels: areas, or volumes of probabilities, of which a packet has one. */
export const LABELLED_KINDS = {
  mask: { hasVolumes: false, hasOwnGrid: true },
  contour: { hasVolumes: false, hasOwnGrid: false },
  field: { hasVolumes: true, hasOwnGrid: true },
} as const satisfies Partial<Record<LayerKind, unknown>>;
export type LabelledKind = keyof typeof LABELLED_KINDS;

export function isLabelledKind(kind: LayerKind): kind is LabelledKind {
  return Object.hasOwn(LABELLED_KINDS, kind);
}
