import type { DataElement, DataSet, DataSetContext } from './dataSet.ts';

/** An item, a sequence or the data set itself that is being read. */
export type ReadLevel = DataSetLevel | SequenceLevel;

type Place = {
  /** The last possible end of the item or sequence. */
  readonly end: number;
  /** Whether the end follows from its own length. */
  readonly bounded: boolean;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly depth: number;
};

class Level {
  readonly end: number;
  readonly bounded: boolean;
  readonly explicit: boolean;
  readonly littleEndian: boolean;
  readonly depth: number;

  constructor({ end, bounded, explicit, littleEndian, depth }: Place) {
    this.end = end;
    this.bounded = bounded;
    this.explicit = explicit;
    this.littleEndian = littleEndian;
    this.depth = depth;
  }
}

export class DataSetLevel extends Level {
  /** Undefined if nothing is kept. */
  readonly dataSet: DataSet | undefined;
  /** Number of elements that waited in the table before the first element of this data set. */
  readonly firstWaiting: number;
  lastTag = -1;
  ordered = true;
  /** The first element that was left out because of a limit, and the number of such elements. */
  omittedTag = 0;
  omittedCount = 0;

  constructor(place: Place, dataSet: DataSet | undefined, firstWaiting: number) {
    super(place);
    this.dataSet = dataSet;
    this.firstWaiting = firstWaiting;
  }
}

type SequenceHeader = Pick<DataElement, 'tag' | 'vr' | 'offset' | 'declaredLength'>;

export class SequenceLevel extends Level {
  readonly header: SequenceHeader;
  /** What its items share; undefined if none is kept. */
  readonly context: DataSetContext | undefined;
  readonly items: DataSet[] = [];
  itemCount = 0;

  constructor(place: Place, header: SequenceHeader, context: DataSetContext | undefined) {
    super(place);
    this.header = header;
    this.context = context;
  }
}
