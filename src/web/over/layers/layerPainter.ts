import type { FrameDamage } from '../../../shared/frameDamage.ts';
import type { MaskBits } from '../../../shared/maskRuns.ts';
import type { PictureUnder } from '../../show/pictures/layerTarget.ts';
import type { Matrix } from '../../kit/state/viewState.ts';
import type { LayerLook } from '../../../shared/partStyle.ts';

/** Reads and draws the layers of one kind. */
export interface LayerPainter<Packet extends LayerPacket = LayerPacket> {
  /** What one packet shows, in the singular: "mask". */
  readonly noun: string;
  /** How it is loaded over slides: in pieces, or all at once. Undefined if such layers do not lie over slides. */
  readonly onSlides?: 'pieces' | 'whole';
  /** Reads what the server sends for a frame, a plane or a part of a slide. */
  decode(bytes: ArrayBuffer): Packet;
  bytesOf(packet: Packet): number;
  listDamaged(packet: Packet): readonly DamagedPart[];
  /** Numbers of the parts at a pixel, visible or not, the most interesting first. */
  partsAt(packet: Packet, column: number, row: number): readonly number[];
  /** The pixels of one part, for kinds whose parts are sets of pixels. */
  maskOf?(packet: Packet, part: number): MaskBits;
  /** Whether a packet has one part only, so that each is loaded by itself. */
  readonly isOfOnePart?: true;
  /** The pixels inside of one part, by the rules of labels, for kinds whose parts are areas. */
  insideOf?(packet: Packet, part: number): MaskBits;
  /** Creates a drawer for one cell; it may keep what it has painted. */
  createDrawer(surfaces: DrawingSurfaces): LayerDrawer<Packet>;
}

/** What lies over the canvas that most kinds draw on, from the lowest to the highest. */
export type DrawingSurfaces = { readonly svg: SVGSVGElement; readonly top: HTMLCanvasElement };

/** Values or coordinates over one target, in its pixels. */
export type LayerPacket = {
  /** Size of the target. */
  readonly rows: number;
  readonly columns: number;
};

export type DamagedPart = {
  /** Undefined if the damage is not that of one part. */
  readonly part: number | undefined;
  readonly damage: FrameDamage;
};

export interface LayerDrawer<Packet extends LayerPacket = LayerPacket> {
  /** Draws with the image's own matrix, later layers above earlier ones. */
  draw(context: CanvasRenderingContext2D, drawn: readonly StyledLayer<Packet>[], imageToCanvas: Matrix): void;
}

export type StyledLayer<Packet extends LayerPacket = LayerPacket> = {
  readonly packet: Packet;
  /** What it lies over. */
  readonly target: PictureUnder;
  /** The same object while the appearance of the parts is unchanged. */
  readonly look: LayerLook;
};
