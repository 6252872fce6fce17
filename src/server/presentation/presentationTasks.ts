import type { Rgb } from '../../shared/cielab.ts';
import type { VoiShape } from '../../shared/voiWindow.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { StateKind } from '../pixels/presentation/stateTargets.ts';
import type { Code } from '../semantics/code.ts';
import { defineTask } from '../workers/task.ts';

/** An image that a presentation state or a key object selection names. */
export type NamedImage = {
  readonly seriesInstanceUid: string | undefined;
  readonly sopClassUid: string | undefined;
  readonly sopInstanceUid: string;
  /** Counted from 1; empty for all frames. */
  readonly frameNumbers: readonly number[];
};

/** The images that a part of a state applies to; undefined for all that the state names. */
export type OwnImages = readonly NamedImage[] | undefined;

export type StateVoi = {
  readonly images: OwnImages;
  readonly windows: readonly {
    readonly center: number;
    readonly width: number;
    readonly explanation: string | undefined;
  }[];
  readonly shape: VoiShape;
  /** Explanations of its VOI LUTs. */
  readonly tables: readonly (string | undefined)[];
};

export type StateArea = {
  readonly images: OwnImages;
  readonly mode: 'scale_to_fit' | 'true_size' | 'magnify';
  /**
   * Left, top, right, bottom of its outer corners, in pixels of the image as it is stored, where (0, 0) is the centre of
   * the first one. They may lie outside of it.
   */
  readonly corners: readonly [number, number, number, number];
  /** Between rows, then between columns. */
  readonly spacingMm: readonly [number, number] | undefined;
  /** Height of a pixel divided by its width, if the state declares it. */
  readonly pixelAspectRatio: number | undefined;
  readonly magnification: number | undefined;
};

export type StateShutter =
  | {
      readonly shape: 'rectangular';
      readonly left: number;
      readonly right: number;
      readonly upper: number;
      readonly lower: number;
    }
  | { readonly shape: 'circular'; readonly center: readonly [number, number]; readonly radius: number }
  | { readonly shape: 'polygonal'; readonly vertices: readonly (readonly [number, number])[] }
  | { readonly shape: 'bitmap'; readonly group: number };

export type AnnotatedGraphics = {
  readonly images: OwnImages;
  /** The JSON of each graphic: many objects would take long to pass to another thread, and to write there. */
  readonly items: readonly string[];
};

export type BlendingInput = {
  readonly number: number | undefined;
  readonly position: string | undefined;
  readonly images: readonly NamedImage[];
  readonly seriesInstanceUid: string | undefined;
  readonly opacity: number | undefined;
  readonly windows: StateVoi['windows'];
  readonly hasPalette: boolean;
};

export type StateRecord = {
  readonly type: 'state';
  readonly kind: StateKind;
  readonly label: string | undefined;
  readonly description: string | undefined;
  readonly creator: string | undefined;
  readonly date: string | undefined;
  readonly time: string | undefined;
  readonly images: readonly NamedImage[];
  /** Undefined for the identity. */
  readonly modality:
    | { readonly kind: 'rescale'; readonly slope: number; readonly intercept: number }
    | { readonly kind: 'lut'; readonly explanation: string | undefined }
    | undefined;
  readonly vois: readonly StateVoi[];
  readonly presentationLut: 'identity' | 'inverse' | 'table' | undefined;
  readonly hasPalette: boolean;
  readonly areas: readonly StateArea[];
  readonly rotation: 0 | 90 | 180 | 270;
  readonly isFlipped: boolean;
  readonly shutters: readonly StateShutter[];
  readonly shutterColor: Rgb | undefined;
  readonly layers: readonly {
    readonly name: string;
    readonly description: string | undefined;
    readonly color: Rgb | undefined;
  }[];
  readonly overlays: readonly { readonly group: number; readonly layer: string; readonly isInState: boolean }[];
  readonly graphics: readonly AnnotatedGraphics[];
  readonly blending: { readonly mode: string | undefined; readonly inputs: readonly BlendingInput[] } | undefined;
  /** Graphics and texts that are not drawn, because there are too many or because they have no valid place. */
  readonly leftOut: number;
  readonly warnings: readonly PresentationWarning[];
};

export type KeyObjectRecord = {
  readonly type: 'key_objects';
  /** Document title. */
  readonly title: Code | undefined;
  /** Codes that describe the title further, such as why images were rejected. */
  readonly modifiers: readonly string[];
  readonly description: string | undefined;
  readonly creator: string | undefined;
  readonly date: string | undefined;
  readonly time: string | undefined;
  readonly images: readonly NamedImage[];
  readonly warnings: readonly PresentationWarning[];
};

export type PresentationWarning = { readonly code: string; readonly message: string };

export const readStateTask = defineTask<KnownSource, StateRecord>('presentation.readState');
export const readKeyObjectsTask = defineTask<KnownSource, KeyObjectRecord>('presentation.readKeyObjects');
