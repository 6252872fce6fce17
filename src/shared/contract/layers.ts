import type { EndpointName } from './endpoints.ts';
import type { FieldValues } from './fileFields.ts';

/** The kinds of layers, in the order in which they lie over a picture, from the lowest to the highest. */
export const LAYER_KINDS = ['field', 'mask', 'contour', 'graphics', 'points'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

/** What an object puts over images. */
type LayerObject = {
  readonly kind: LayerKind;
  /** Whether a file is such an object. */
  readonly matches: (file: Pick<FieldValues, 'objectKind' | 'sopClassUid'>) => boolean;
  /** Without pixels there is nothing to draw. */
  readonly needsPixels: boolean;
};

/** The objects that have a layer, by name. Server and page each have a provider for every line. */
export const LAYER_OBJECTS = {
  segmentation: {
    kind: 'mask',
    matches: ({ objectKind }) => objectKind === 'segmentation',
    needsPixels: true,
  },
} as const satisfies Readonly<Record<string, LayerObject>>;

export type LayerName = keyof typeof LAYER_OBJECTS;
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const LAYER_NAMES = Object.keys(LAYER_OBJECTS) as LayerName[];

/** The endpoint that serves the packets of a kind. */
export const PACKET_ENDPOINTS = { mask: 'sourceMasks' } as const satisfies {
  readonly [Kind in LayerKind]?: EndpointName;
};
export type PacketKind = keyof typeof PACKET_ENDPOINTS;
export type PacketEndpoint = (typeof PACKET_ENDPOINTS)[PacketKind];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a constant has no keys beyond those of its type
export const PACKET_KINDS = Object.keys(PACKET_ENDPOINTS) as PacketKind[];
