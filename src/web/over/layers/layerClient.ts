import type { PacketKind } from '../../../shared/contract/layers.ts';
import type { PictureUnder } from '../../show/pictures/layerTarget.ts';
import type { Page } from '../../kit/state/page.ts';
import type { Watched } from '../../kit/ui/followStores.ts';
import type { PartStyle } from '../../../shared/partStyle.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';
import type { LayerPacket, LayerPainter } from './layerPainter.ts';

/** What the page knows about the layers of one sort of object, such as segmentations. */
export interface LayerClient<Description extends KnownLayer = KnownLayer> {
  readonly words: LayerWords;
  /** Draws the kind of its object. */
  readonly painter: LayerPainter;
  /** The panel shows its details instead of the meaning of the object's values. */
  readonly replacesContext: boolean;
  /** How its parts are drawn before the user changes it; `FIRST_STYLE` if undefined. */
  readonly firstStyle?: PartStyle;
  describe(fileIndex: number, signal: AbortSignal, page: Page): Promise<Description>;
  /** How a layer is drawn beyond the style of its parts; only its painter knows what it is. */
  readonly looks?: LayerLooks<Description>;
  /** The part that is drawn alone over a picture; undefined for all. */
  partOf?(page: Page, description: Description, target: PictureUnder): number | undefined;
  /** The values of its layers over one picture at a pixel, as texts. */
  probe?(page: Page, probed: readonly ProbedLayer<Description>[], column: number, row: number): readonly string[];
  /** The frame on which it has most, if its description does not tell. */
  findFullest?(page: Page, fileIndex: number): Promise<LayerFrame | undefined>;
  /** The frames of the object itself that are not empty, for an object that is shown by itself. */
  listFilledFrames?(page: Page, fileIndex: number): Promise<readonly number[] | undefined>;
}

export type LayerLooks<Description extends KnownLayer> = {
  /** Changes with every look. */
  readonly changes: (page: Page) => Watched;
  /** The same object until it changes. */
  lookOf(page: Page, description: Description): unknown;
};

export type ProbedLayer<Description extends KnownLayer = KnownLayer> = {
  readonly description: Description;
  readonly packet: LayerPacket;
  /** What the packet lies over. */
  readonly target: PictureUnder;
  readonly look: LayerLook;
};

/** In the singular, in lower case. */
export type LayerWords = {
  readonly layer: string;
  readonly part: string;
  /** The object when it is shown by itself. */
  readonly alone: string;
};

/** What is known about a layer of any sort. */
export type KnownLayer = {
  readonly fileIndex: number;
  /** How it is drawn, if that depends on its content; undefined for the kind of its object. */
  readonly kind?: PacketKind;
  /** Whether it can be drawn over an open image. */
  readonly isPlaced: boolean;
  /** Why, or why not. */
  readonly reason: string;
  /** The frames that it lies over, by file. */
  readonly targets: ReadonlyMap<number, ReadonlySet<number>>;
  /** The frames of reference whose planes it lies over; undefined for that of its file. */
  readonly spaces?: ReadonlySet<string>;
  /** By frame of reference: how it gets there over registrations, in words. */
  readonly registered?: ReadonlyMap<string, string>;
  /** The frame on which it has most, if the server tells it with the description. */
  readonly fullest?: LayerFrame | undefined;
  readonly parts: readonly LayerPart[];
  /** What it is one of several of, such as the doses of a plan: `Plan Boost`. */
  readonly group?: string | undefined;
};

export type LayerFrame = { readonly fileIndex: number; readonly frame: number };

export type LayerPart = {
  readonly number: number;
  readonly name: string;
  readonly color: readonly [number, number, number];
  /** The color that the file declares, if an earlier part has it already. */
  readonly declaredColor?: readonly [number, number, number];
};
