import type { FrameDamage } from '../../shared/frameDamage.ts';
import type { FrameRequestOptions } from '../api/frames.ts';
import type { PictureUnder } from '../pictures/layerTarget.ts';
import type { Matrix } from '../state/viewState.ts';
import type { PartStyle } from './firstStyle.ts';

/** Loads and draws the layers of one kind. */
export interface LayerPainter<Packet extends LayerPacket = LayerPacket> {
  /** What one packet shows, in the singular: "mask". */
  readonly noun: string;
  /** Requests what the layer of a file puts over a frame or a plane. */
  load(layer: number, target: PictureUnder, options: FrameRequestOptions): Promise<Packet>;
  bytesOf(packet: Packet): number;
  listDamaged(packet: Packet): readonly DamagedPart[];
  /** Numbers of the parts at a pixel, visible or not, the most interesting first. */
  partsAt(packet: Packet, column: number, row: number): readonly number[];
  /** Creates a drawer for one canvas; it may keep what it has painted. */
  createDrawer(): LayerDrawer<Packet>;
}

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
  /** The same object while the appearance of the parts is unchanged. */
  readonly look: LayerLook;
};

/** The appearance of the parts of one layer. */
export type LayerLook = {
  readonly colorOf: (part: number) => readonly [number, number, number];
  readonly styleOf: (part: number) => PartStyle;
  /** What its client says beyond that, if anything. */
  readonly ofClient?: unknown;
};
