import type { KeyFrame } from '../../images/series/keyFrames.ts';
import type { LayerOptions } from '../layers/layerProvider.ts';
import type { TileMark } from './sheetTasks.ts';

/** A slide, whose marks are in pixels of its largest level. */
export type MarkedSlide = {
  /** The files of its largest level. */
  readonly files: readonly number[];
  /** Pixels of the picture for one of them. */
  readonly scale: number;
};

/** Where marks are looked for. */
export type MarkedPlace = KeyFrame | MarkedSlide;

export type MarksOnTiles = {
  /** Of each place, in the order in which they were asked for. */
  readonly marks: readonly (readonly TileMark[])[];
  /** The same for the same marks. */
  readonly key: string;
  /** How many are not drawn because there are too many. */
  readonly leftOut: number;
};

/** What users have drawn, for whoever draws it on pictures. */
export interface SheetMarks {
  find(places: readonly MarkedPlace[], options: LayerOptions): Promise<MarksOnTiles>;
}
