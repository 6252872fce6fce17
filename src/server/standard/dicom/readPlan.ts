import type { ByteSource } from '../../bytes/origins/byteSource.ts';
import type { MaskedPatient } from '../../bytes/masking/maskElement.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import type { FlagCollector } from './readFlags.ts';

export type ReadLimits = {
  /** Maximum nesting of items; deeper items are skipped. */
  readonly maxDepth: number;
  /** Maximum number of elements and items that are kept. */
  readonly maxElements: number;
  /** Maximum number of bytes read: values that are kept, and headers, including those of skipped elements. */
  readonly maxBytes: number;
};

export const READ_LIMITS: ReadLimits = { maxDepth: 64, maxElements: 300_000, maxBytes: 64 * 1024 * 1024 };

/** Selects which elements and items are kept. The others are skipped, by their length if it is defined. */
export interface ReadFilter {
  /** `depth` is 0 for the data set itself. */
  element(depth: number, tag: number): boolean;
  /** `depth` is the depth of the sequence. */
  item(depth: number, index: number): boolean;
}

export type ReadElementsOptions = {
  readonly source: ByteSource;
  readonly position: number;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly flags: FlagCollector;
  readonly limits: ReadLimits;
  /** Longer values stay in the source, as does bulk data of any length. */
  readonly maxValueBytes: number;
  /** Stops before the first top-level element with this tag or a higher one. */
  readonly until?: number;
  /** Stops before the first element of another group. */
  readonly group?: number;
  readonly filter?: ReadFilter;
  /** Inflates a deflated data set to the declared end of a value, to determine how much of it exists. */
  readonly measure: boolean;
  /** Provides character set and sign if these elements do not. */
  readonly parent?: DataSet;
  /** In a masked run, the patient whose dates are moved; without it, there are no dates. */
  readonly patient?: MaskedPatient | undefined;
  /** Values as stored, even in a masked run. Nothing of them may leave the thread. */
  readonly isOriginal?: boolean;
};

export type ReadElementsResult = {
  readonly dataSet: DataSet;
  /** Where reading stopped. */
  readonly position: number;
  /** Number of top-level elements, kept or not. */
  readonly elementCount: number;
  /** The last of (7FE0,0008), (7FE0,0009), (7FE0,0010) that was found, even if `until` stopped there. */
  readonly pixelData: PixelElement | undefined;
};

export type PixelElement = Pick<DataElement, 'tag' | 'vr' | 'offset' | 'length' | 'declaredLength'>;
