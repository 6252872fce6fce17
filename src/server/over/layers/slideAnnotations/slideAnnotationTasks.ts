import { MIB } from '../../../machine/system/mib.ts';
import { type CostFactors, readBytesOf } from '../../../standard/dicom/readCost.ts';
import type { KnownSource } from '../../../bytes/origins/origins.ts';
import { defineTask } from '../../../machine/workers/task.ts';
import type { ReadSpatialInput } from '../spatial/spatialLayers.ts';
import type { AnnotationColumns, AnnotationIndex, CoordinateData } from './annotationIndex.ts';

export type PackSlideAnnotationsInput = {
  readonly source: KnownSource;
  readonly layer: number;
  readonly columns: AnnotationColumns;
  readonly groups: readonly {
    /** -1 to leave it out. */
    readonly number: number;
    /** Number of annotations in the groups before. */
    readonly start: number;
    readonly shape: number;
    readonly data: CoordinateData;
    /** The values of each measurement, by the number of the annotation. */
    readonly values: readonly (Float32Array | undefined)[];
    /** Of each measurement, the lowest and highest value. */
    readonly ranges: readonly (readonly [number, number] | undefined)[];
  }[];
  /** From coordinates of the object to pixels of the slide: `x' = a x + c y + e`, `y' = b x + d y + f`. */
  readonly toSlide: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  readonly region: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /** Pixels of the slide for one pixel of the screen. */
  readonly pixel: number;
};

export const indexSlideAnnotationsTask = defineTask<ReadSpatialInput, AnnotationIndex, CostFactors>(
  'slideAnnotations.index',
  {
    timeoutMs: 60_000,
    // Lists double when they grow, and are ordered into new ones.
    mostBytes: ({ mostBytes }, file) =>
      Math.max(readBytesOf(file), 8 * MIB + 3 * Math.min(mostBytes, 4 * file.fileBytes)),
  },
);
export const packSlideAnnotationsTask = defineTask<PackSlideAnnotationsInput, Uint8Array<ArrayBuffer>>(
  'slideAnnotations.pack',
  { timeoutMs: 20_000, mostBytes: 48 * MIB },
);
