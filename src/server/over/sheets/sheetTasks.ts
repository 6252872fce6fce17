import type { Rgb } from '../../../shared/cielab.ts';
import type { LayerKind } from '../../../shared/contract/layers.ts';
import type { MarkKind } from '../../../shared/markTraits.ts';
import { defineTask } from '../../machine/workers/task.ts';
import type { SheetShape } from './layOutSheet.ts';

/** Part of a picture, as a PNG that was made by this server. */
export type PicturePiece = {
  readonly png: Uint8Array;
  /** Where it lies in the picture, whose edges are at 0 and 1. */
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** How much of the PNG is of the picture, from its upper left corner; 1 for all of it. */
  readonly usedWidth: number;
  readonly usedHeight: number;
};

/** What one layer has over a picture, as the page gets it, and the colors of its parts. */
export type TileLayer = {
  readonly kind: LayerKind;
  readonly packet: Uint8Array;
  readonly parts: readonly { readonly number: number; readonly color: Rgb }[];
};

/** Two layers over a picture that are compared, and which of their parts are. A layer without anything there is undefined. */
export type TileErrors = {
  readonly truth: TileLayer | undefined;
  readonly test: TileLayer | undefined;
  readonly pairs: readonly PartNumbers[];
};

/** A part of the truth and the part of the test that it is compared with. */
export type PartNumbers = readonly [truth: number, test: number];

/** What a user has drawn on a picture, in its pixels. */
export type TileMark = {
  /** A ROI of the specification is a box. */
  readonly kind: MarkKind;
  readonly color: Rgb;
  readonly points: Float64Array;
  /** Of a mask: its rectangle and runs. */
  readonly mask: { readonly rectangle: Uint32Array; readonly runs: Uint32Array } | undefined;
  /** Computed from what was drawn on other frames. */
  readonly isInterpolated: boolean;
};

export type TileSign = 'damaged' | 'failed';

export type SheetTile = SheetShape & {
  /** Empty if there is no picture. */
  readonly pieces: readonly PicturePiece[];
  readonly sign: TileSign | undefined;
  readonly layers: readonly TileLayer[];
  /** In place of the layers that are compared. */
  readonly errors: TileErrors | undefined;
  readonly marks: readonly TileMark[];
};

export type DrawSheetInput = {
  readonly width: number;
  /** Pictures in a row. */
  readonly columns: number;
  readonly tiles: readonly SheetTile[];
  /** Quality of a JPEG, from 1 to 100; undefined: PNG. */
  readonly jpegQuality: number | undefined;
};

export type DrawnSheet = {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly columns: number;
  /** Pictures, by number, over which not all lines, areas and errors were drawn, because there were too many. */
  readonly incomplete: readonly number[];
};

/** Memory that drawing takes: the caller counts it, because it depends on what is drawn. */
export const drawSheetTask = defineTask<DrawSheetInput, DrawnSheet, { readonly bytes: number }>('sheets.draw', {
  timeoutMs: 30_000,
  bytes: (_, { bytes }) => bytes,
});

/** The number of the picture that differs most from the first one. */
export const findPeakTask = defineTask<readonly Uint8Array[], number>('sheets.findPeak', {
  timeoutMs: 10_000,
  bytes: (pictures) => pictures.reduce((sum, { length }) => sum + 8 * length, 1_000_000),
});
