import { readingTask } from '../../standard/dicom/readCost.ts';
import type { Rgb } from '../../../shared/cielab.ts';
import type { BlendStep } from '../../../shared/blendSteps.ts';
import type { Shutter } from '../../../shared/shutter.ts';
import type { VoiShape } from '../../../shared/voiWindow.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { StateKind } from '../../images/pixels/presentation/stateTargets.ts';
import type { Code } from '../../standard/dicom/code.ts';
import type { PackedList } from '../../machine/workers/packedList.ts';

/** An image that a presentation state or a key object selection names. */
export type NamedImage = {
  readonly seriesInstanceUid: string | undefined;
  readonly sopClassUid: string | undefined;
  readonly sopInstanceUid: string;
  /** Counted from 1, ascending; empty for all frames. */
  readonly frameNumbers: readonly number[];
};

/**
 * Some of the images of `named`, the one list of all images that an object names. There may be ten thousands of them, so
 * they are packed, and the event loop unpacks and finds them in turns.
 */
export type NamedRange = { readonly from: number; readonly to: number };

/** The images that a part of a state applies to; undefined for all that the state names. */
export type OwnImages = NamedRange | undefined;

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
  | Exclude<Shutter, { readonly shape: 'bitmap' }>
  | { readonly shape: 'bitmap'; readonly group: number };

export type AnnotatedGraphics = {
  readonly images: OwnImages;
  /** The JSON of each graphic: many objects would take long to pass to another thread, and to write there. */
  readonly items: readonly string[];
};

/** Undefined for the identity. */
export type StateModality =
  | { readonly kind: 'rescale'; readonly slope: number; readonly intercept: number }
  | { readonly kind: 'lut'; readonly explanation: string | undefined }
  | undefined;

export type BlendingInput = {
  readonly number: number | undefined;
  /** Of an advanced state: UNDERLYING for the images whose geometry is that of the picture, SUPERIMPOSED for others. */
  readonly position: string | undefined;
  readonly images: NamedRange;
  /** Whether it is all images of the series, because it names none. */
  readonly isWholeSeries: boolean;
  readonly seriesInstanceUid: string | undefined;
  readonly opacity: number | undefined;
  readonly modality: StateModality;
  readonly windows: StateVoi['windows'];
  readonly hasPalette: boolean;
  /** Of superimposed images; undefined for others, and, except in an advanced state, without a palette. */
  readonly scale: ColorScale | undefined;
  /** Only in an advanced state: values in one of these ranges are shown; undefined if all are. */
  readonly ranges: readonly ShownRange[] | undefined;
};

/** Stored values. */
export type ShownRange = {
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly hasEnds: boolean;
};

/** Colors for stored values. */
export type ColorScale = {
  /** The values of the first and the last color; undefined for the lowest and highest that can be stored. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Red, green and blue of each in turn, as Base64. */
  readonly colors: string;
};

/** What presentation states and key object selections have in common. */
type NamingObject = {
  readonly description: string | undefined;
  readonly creator: string | undefined;
  readonly date: string | undefined;
  readonly time: string | undefined;
  readonly named: PackedList<NamedImage>;
  /** Those that it is for. */
  readonly images: NamedRange;
  readonly warnings: readonly PresentationWarning[];
};

export type StateRecord = NamingObject & {
  readonly type: 'state';
  readonly kind: StateKind;
  readonly label: string | undefined;
  readonly modality: StateModality;
  readonly vois: PackedList<StateVoi>;
  readonly presentationLut: 'identity' | 'inverse' | 'table' | undefined;
  readonly hasPalette: boolean;
  readonly areas: PackedList<StateArea>;
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
  readonly graphics: PackedList<AnnotatedGraphics>;
  readonly blending:
    | {
        /** Of the last step of an advanced state. */
        readonly mode: string | undefined;
        /** Only of an advanced state. */
        readonly steps: readonly BlendStep[];
        readonly inputs: readonly BlendingInput[];
        /** The SOP Instance UID of the registration that it names. */
        readonly registration: string | undefined;
        /** Why it cannot be applied, whatever is open. */
        readonly reason: string | undefined;
      }
    | undefined;
  /** Graphics and texts that are not drawn, because there are too many or because they have no valid place. */
  readonly leftOut: number;
};

export type KeyObjectRecord = NamingObject & {
  readonly type: 'key_objects';
  /** Document title. */
  readonly title: Code | undefined;
  /** Codes that describe the title further, such as why images were rejected. */
  readonly modifiers: readonly string[];
};

export type PresentationWarning = { readonly code: string; readonly message: string };

export const readStateTask = readingTask<KnownSource, StateRecord>('presentation.readState', 30_000);
export const readKeyObjectsTask = readingTask<KnownSource, KeyObjectRecord>('presentation.readKeyObjects', 30_000);
