import type { VolumeTime } from './volume.ts';

/** What can tell apart frames that lie in the same place. Undefined if the frame does not say it. */
export type TimeKeys = {
  /** Temporal Position Index or Identifier, or the time slot of a gated reconstruction. */
  readonly temporalPosition?: number | undefined;
  /** Percent of the cardiac cycle. */
  readonly cardiacPercent?: number | undefined;
  /** Trigger Time, or the nominal delay after the trigger, in milliseconds. */
  readonly triggerMs?: number | undefined;
  readonly bValue?: number | undefined;
  /** The gradient direction as text; only its equality counts. */
  readonly gradient?: string | undefined;
  readonly echoNumber?: number | undefined;
  readonly echoMs?: number | undefined;
  /** Of a gated reconstruction: which of several kinds of heartbeats. */
  readonly rrInterval?: number | undefined;
  /** Temporal Position Time Offset of an ultrasound volume, in seconds. */
  readonly temporalSeconds?: number | undefined;
  /** Of X-ray images: which of several reconstructions of one acquisition. */
  readonly reconstruction?: number | undefined;
  /** Of an ultrasound volume: what was measured, such as TISSUE_INTENSITY. */
  readonly dataType?: string | undefined;
  readonly acquisitionNumber?: number | undefined;
  /** Seconds since some moment that all frames share. */
  readonly acquisitionSeconds?: number | undefined;
  readonly contentSeconds?: number | undefined;
  readonly instanceNumber?: number | undefined;
};

/** Frames of all places, one for each time. */
export type SplitTimes = {
  readonly times: readonly VolumeTime[];
  /** The frames of each time, in the order of the places. */
  readonly frames: readonly (readonly number[])[];
  /** Frames that share place and time; the first of each list is used. */
  readonly duplicates: readonly (readonly number[])[];
  /** Most places hold several frames that nothing tells apart: these are copies, or times that are not described. */
  readonly isDoubtful: boolean;
  /** How many further times there are that do not have a frame in every place, and their frames. */
  readonly incomplete: { readonly count: number; readonly frames: readonly number[] };
};

/**
 * Tells apart the frames that share a place. The first attribute is used that has the same values in every place, all
 * different; else two of them together; else the order of moments of acquisition. Where the places have different
 * numbers of frames, the values that occur in all of them are whole times. If nothing tells the frames apart, they are
 * copies.
 */
export function splitTimes(places: readonly (readonly number[])[], keysOf: (frame: number) => TimeKeys): SplitTimes {
  const counts = places.map(({ length }) => length);
  const most = counts.reduce((a, b) => Math.max(a, b));
  if (most === 1) return single(places);
  const isEven = counts.every((count) => count === most);
  const attributes = ATTRIBUTES.filter((attribute) => tells(attribute, places, keysOf));
  const pairs = attributes.flatMap((first, at) => attributes.slice(at + 1).map((second) => pair(first, second)));
  if (isEven) {
    for (const attribute of [...attributes, ...pairs]) {
      if (!tellsAll(attribute, places[0]!, keysOf)) continue;
      const split = splitBy(attribute, places, keysOf);
      if (split.length === most && split.every(({ frames }) => frames.length === places.length)) {
        return { ...toTimes(attribute, split), duplicates: [], isDoubtful: false, incomplete: NONE };
      }
    }
    for (const attribute of MOMENTS) {
      const split = rankBy(attribute, places, keysOf);
      if (split !== undefined)
        return { ...toTimes(attribute, split), duplicates: [], isDoubtful: false, incomplete: NONE };
    }
  }
  for (const attribute of [...attributes, ...pairs]) {
    const split = splitBy(attribute, places, keysOf);
    const whole = split.filter(({ placesSeen }) => placesSeen === places.length);
    if (whole.length === 0) continue;
    const rest = split.filter(({ placesSeen }) => placesSeen < places.length);
    return {
      ...toTimes(attribute, whole),
      duplicates: whole.flatMap(({ duplicates }) => duplicates),
      isDoubtful: false,
      incomplete: { count: rest.length, frames: rest.flatMap(({ frames }) => frames) },
    };
  }
  return single(places);
}

/**
 * Times by the order of Instance Number, for frames that nothing else tells apart. Undefined unless each place has the
 * same number of frames, and the numbers run through all places time after time, or through all times place after place.
 */
export function splitByNumber(places: Places, keysOf: KeysOf): Pick<SplitTimes, 'times' | 'frames'> | undefined {
  const count = places[0]!.length;
  if (count < 2 || places.some(({ length }) => length !== count)) return undefined;
  const split = rankBy(BY_NUMBER, places, keysOf);
  if (split === undefined) return undefined;
  const numbersOf = (frames: readonly number[]) => frames.map((frame) => keysOf(frame).instanceNumber ?? NaN);
  const isInTurn =
    areApart(split.map(({ frames }) => numbersOf(frames))) || areApart(places.map((frames) => numbersOf(frames)));
  if (!isInTurn) return undefined;
  return {
    times: split.map((_, at) => ({ label: `repetition ${at + 1}`, kind: 'unknown', value: at + 1, unit: undefined })),
    frames: split.map(({ frames }) => frames),
  };
}

/** Whether the numbers of each list are all below or all above those of each other list. */
function areApart(lists: readonly (readonly number[])[]): boolean {
  const ranges = lists
    .map((numbers) => [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))] as const)
    .toSorted(([a], [b]) => a - b);
  return ranges.every(([start], at) => at === 0 || start > ranges[at - 1]![1]);
}

const NONE = { count: 0, frames: [] };
const ONLY_TIME: VolumeTime = { label: '', kind: 'unknown', value: undefined, unit: undefined };

function single(places: readonly (readonly number[])[]): SplitTimes {
  const duplicates = places.filter(({ length }) => length > 1);
  return {
    times: [ONLY_TIME],
    frames: [places.map(([first = 0]) => first)],
    duplicates,
    isDoubtful: duplicates.length * 2 > places.length,
    incomplete: NONE,
  };
}

type Attribute = {
  /** Equal keys are the same time. */
  readonly keyOf: (keys: TimeKeys) => string | undefined;
  /** Orders the times; ties keep the order of the stack. */
  readonly orderOf: (keys: TimeKeys) => readonly number[];
  readonly describe: (keys: TimeKeys, first: TimeKeys) => VolumeTime;
};

type NumericKey = { [Key in keyof TimeKeys]-?: TimeKeys[Key] extends number | undefined ? Key : never }[keyof TimeKeys];

function numeric(name: NumericKey, describe: (value: number, first: number) => VolumeTime): Attribute {
  return {
    keyOf: (keys) => keys[name]?.toString(),
    orderOf: (keys) => [keys[name] ?? 0],
    describe: (keys, first) => describe(keys[name] ?? 0, first[name] ?? 0),
  };
}

const seconds = (value: number, first: number): VolumeTime => ({
  label: `${round(value - first, 1)} s`,
  kind: 'time',
  value: round(value - first, 3),
  unit: 's',
});

/** The moment at which each frame was acquired or made: it differs from place to place, so only its order counts. */
const MOMENTS: readonly Attribute[] = [
  numeric('triggerMs', (value) => ({ label: `${round(value, 1)} ms`, kind: 'cardiac', value, unit: 'ms' })),
  numeric('acquisitionSeconds', seconds),
  numeric('contentSeconds', seconds),
];

const ATTRIBUTES: readonly Attribute[] = [
  numeric('rrInterval', (value) => ({ label: `R-R interval ${value}`, kind: 'unknown', value, unit: undefined })),
  numeric('temporalPosition', (value) => ({ label: `phase ${value}`, kind: 'phase', value, unit: undefined })),
  numeric('temporalSeconds', seconds),
  numeric('reconstruction', (value) => ({ label: `reconstruction ${value}`, kind: 'unknown', value, unit: undefined })),
  {
    keyOf: ({ dataType }) => dataType,
    orderOf: () => [],
    describe: ({ dataType = '' }) => ({
      label: dataType.toLowerCase().replaceAll('_', ' '),
      kind: 'unknown',
      value: undefined,
      unit: undefined,
    }),
  },
  numeric('cardiacPercent', (value) => ({ label: `${round(value, 1)} %`, kind: 'cardiac', value, unit: '%' })),
  ...MOMENTS.slice(0, 1),
  {
    keyOf: ({ bValue, gradient = '' }) => (bValue === undefined ? undefined : `${bValue} ${gradient}`),
    orderOf: ({ bValue = 0 }) => [bValue],
    describe: ({ bValue = 0 }) => ({ label: `b ${bValue} s/mm²`, kind: 'b_value', value: bValue, unit: 's/mm²' }),
  },
  {
    keyOf: ({ echoMs, echoNumber }) => echoMs?.toString() ?? echoNumber?.toString(),
    orderOf: ({ echoMs, echoNumber }) => [echoMs ?? echoNumber ?? 0],
    describe: ({ echoMs, echoNumber }) =>
      echoMs === undefined
        ? { label: `echo ${echoNumber}`, kind: 'echo', value: echoNumber, unit: undefined }
        : { label: `TE ${round(echoMs, 2)} ms`, kind: 'echo', value: echoMs, unit: 'ms' },
  },
  numeric('acquisitionNumber', (value) => ({ label: `acquisition ${value}`, kind: 'unknown', value, unit: undefined })),
  ...MOMENTS.slice(1),
];

/** Its label is never used. */
const BY_NUMBER = numeric('instanceNumber', () => ONLY_TIME);

function pair(first: Attribute, second: Attribute): Attribute {
  return {
    keyOf(keys) {
      const [a, b] = [first.keyOf(keys), second.keyOf(keys)];
      return a === undefined || b === undefined ? undefined : `${a} | ${b}`;
    },
    orderOf: (keys) => [...first.orderOf(keys), ...second.orderOf(keys)],
    describe(keys, start) {
      const [a, b] = [first.describe(keys, start), second.describe(keys, start)];
      return { ...a, label: `${a.label}, ${b.label}` };
    },
  };
}

type Places = readonly (readonly number[])[];
type KeysOf = (frame: number) => TimeKeys;
type OneTime = {
  readonly keys: TimeKeys;
  /** The first frame of each place. */
  readonly frames: number[];
  readonly duplicates: number[][];
  placesSeen: number;
  lastPlace: number;
};

/** Whether all frames have the attribute, with more than one value. */
function tells(attribute: Attribute, places: Places, keysOf: KeysOf): boolean {
  const seen = new Set<string>();
  for (const frames of places) {
    for (const frame of frames) {
      const key = attribute.keyOf(keysOf(frame));
      if (key === undefined) return false;
      seen.add(key);
    }
  }
  return seen.size > 1;
}

/** Whether all frames of one place have different values: a quick look before all places are compared. */
function tellsAll(attribute: Attribute, frames: readonly number[], keysOf: KeysOf): boolean {
  return new Set(frames.map((frame) => attribute.keyOf(keysOf(frame)))).size === frames.length;
}

/** The frames of each value, the first one of each place. Ordered by value. */
function splitBy(attribute: Attribute, places: Places, keysOf: KeysOf): OneTime[] {
  const byKey = new Map<string, OneTime>();
  for (const [place, frames] of places.entries()) {
    for (const frame of frames) {
      const keys = keysOf(frame);
      const key = attribute.keyOf(keys) ?? '';
      const time = byKey.get(key) ?? { keys, frames: [], duplicates: [], placesSeen: 0, lastPlace: -1 };
      byKey.set(key, time);
      if (time.lastPlace === place) {
        const used = time.frames.at(-1)!;
        if (time.duplicates.at(-1)?.[0] !== used) time.duplicates.push([used]);
        time.duplicates.at(-1)!.push(frame);
        continue;
      }
      time.frames.push(frame);
      time.placesSeen += 1;
      time.lastPlace = place;
    }
  }
  return [...byKey.values()].toSorted((a, b) => compare(attribute.orderOf(a.keys), attribute.orderOf(b.keys)));
}

/** The frames of each place in the order of the values; undefined if values are absent or equal within a place. */
function rankBy(attribute: Attribute, places: Places, keysOf: KeysOf): OneTime[] | undefined {
  const times: OneTime[] = [];
  for (const [place, frames] of places.entries()) {
    const keys = frames.map((frame) => attribute.keyOf(keysOf(frame)));
    if (keys.includes(undefined) || new Set(keys).size < keys.length) return undefined;
    const sorted = frames.toSorted((a, b) => compare(attribute.orderOf(keysOf(a)), attribute.orderOf(keysOf(b))));
    for (const [rank, frame] of sorted.entries()) {
      const time = (times[rank] ??= {
        keys: keysOf(frame),
        frames: [],
        duplicates: [],
        placesSeen: 0,
        lastPlace: -1,
      });
      time.frames.push(frame);
      time.placesSeen += 1;
      time.lastPlace = place;
    }
  }
  return times;
}

function toTimes(attribute: Attribute, split: readonly OneTime[]): Pick<SplitTimes, 'times' | 'frames'> {
  const first = split[0]?.keys ?? {};
  return {
    times: split.length === 1 ? [ONLY_TIME] : split.map(({ keys }) => attribute.describe(keys, first)),
    frames: split.map(({ frames }) => frames),
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
