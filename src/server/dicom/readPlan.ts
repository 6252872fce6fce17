import type { ByteSource } from '../origins/byteSource.ts';
import type { DataElement, DataSet } from './dataSet.ts';
import type { FlagCollector } from './readFlags.ts';

export type ReadLimits = {
  /** Items in items; what lies deeper is passed over. */
  readonly maxDepth: number;
  /** Elements and items that are kept. */
  readonly maxElements: number;
  /** Bytes that are taken in: values that are kept, and headers, of what is passed over too. */
  readonly maxBytes: number;
};

export const READ_LIMITS: ReadLimits = { maxDepth: 64, maxElements: 300_000, maxBytes: 64 * 1024 * 1024 };

/** Which elements and items are kept. The others are passed over, by their length where they have one. */
export interface ReadFilter {
  /** `depth` is 0 for the data set itself. */
  element(depth: number, tag: number): boolean;
  /** `depth` is that of the sequence. */
  item(depth: number, index: number): boolean;
}

export type ReadElementsOptions = {
  readonly source: ByteSource;
  readonly position: number;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly flags: FlagCollector;
  readonly limits: ReadLimits;
  /** Longer values stay where they are; so does bulk data of any length. */
  readonly maxValueBytes: number;
  /** Stops before the first element of the data set itself whose tag is this or higher. */
  readonly until?: number;
  /** Stops before the first element of another group. */
  readonly group?: number;
  readonly filter?: ReadFilter;
  /** Inflates a deflated data set as far as a value claims to reach, to know how much of it there is. */
  readonly measure: boolean;
  /** Where character set and sign come from if these elements do not say. */
  readonly parent?: DataSet;
};

export type ReadElementsResult = {
  readonly dataSet: DataSet;
  /** Where reading stopped. */
  readonly position: number;
  /** Elements of the data set itself, kept or not. */
  readonly elementCount: number;
  /** The last of (7FE0,0008), (7FE0,0009), (7FE0,0010) that was met, also when `until` stopped there. */
  readonly pixelData: PixelElement | undefined;
};

export type PixelElement = Pick<DataElement, 'tag' | 'vr' | 'offset' | 'length' | 'declaredLength'>;
