/** A plane or slab that peers are asked for, as they all understand it. */
export type PeerPlane = {
  /** Name of the measurement. */
  readonly key: string;
  readonly position: readonly number[];
  readonly rowDirection: readonly number[];
  readonly columnDirection: readonly number[];
  /** Row direction cross column direction. */
  readonly normal: readonly number[];
  readonly rowSpacingMm: number;
  readonly columnSpacingMm: number;
  readonly rows: number;
  readonly columns: number;
  readonly isLinear: boolean;
  /** Number of sheets of a slab around the plane, whose maximum is shown; 1 for a plane. */
  readonly sheets: number;
  readonly sheetMm: number;
};

/** Processor time of one thread, in milliseconds, by name of the measurement. Undefined if it is not installed. */
export type PeerTimes = Readonly<Record<string, number>> | undefined;

export type PeerWork = {
  /** The folder of the files, which SimpleITK reads as a series. */
  readonly folder: string;
  readonly planes: readonly PeerPlane[];
  /** Where the pictures are written, so that they can be compared. */
  readonly pictures: string;
};

/** Outside of the volume, in the pictures of peers. */
export const NOTHING = -32_768;
