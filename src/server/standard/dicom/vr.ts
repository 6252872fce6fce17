/** How the values of a VR are encoded. PS3.5 table 6.2-1. */
export type VrKind = 'text' | 'numeric text' | 'number' | 'tag' | 'bytes' | 'sequence';

export type VrTraits = {
  readonly kind: VrKind;
  /** Explicit syntaxes write the length of this VR in four bytes, after two reserved bytes. PS3.5 7.1.2. */
  readonly longLength: boolean;
  /** Number of bytes that are reversed when the byte order changes. */
  readonly unit: number;
  /** Text only: values are separated by a backslash. */
  readonly multiple: boolean;
  /** Text only: encoded in the character set of the data set rather than in the default repertoire. */
  readonly localized: boolean;
  /** Text only: the byte that pads a value to even length. */
  readonly padding: number;
  /**
   * Text only: maximum number of bytes read of one value, with room for overlong values in real files. The rest is cut.
   */
  readonly mostBytes: number;
};

const base: VrTraits = {
  kind: 'bytes',
  longLength: false,
  unit: 1,
  multiple: true,
  localized: false,
  padding: 0x20,
  mostBytes: 128,
};
const text: VrTraits = { ...base, kind: 'text' };
const name: VrTraits = { ...text, localized: true, mostBytes: 1024 };
const longText: VrTraits = { ...text, localized: true, multiple: false, mostBytes: 64 * 1024 };
const numericText: VrTraits = { ...base, kind: 'numeric text', mostBytes: 32 };
const bytes: VrTraits = { ...base, longLength: true, padding: 0 };

const TRAITS: ReadonlyMap<string, VrTraits> = new Map([
  ['AE', text],
  ['AS', text],
  ['AT', { ...base, kind: 'tag', unit: 2 }],
  ['CS', text],
  ['DA', text],
  ['DS', numericText],
  ['DT', text],
  ['FL', { ...base, kind: 'number', unit: 4 }],
  ['FD', { ...base, kind: 'number', unit: 8 }],
  ['IS', numericText],
  ['LO', name],
  ['LT', longText],
  ['OB', bytes],
  ['OD', { ...bytes, unit: 8 }],
  ['OF', { ...bytes, unit: 4 }],
  ['OL', { ...bytes, unit: 4 }],
  ['OV', { ...bytes, unit: 8 }],
  ['OW', { ...bytes, unit: 2 }],
  ['PN', name],
  ['SH', name],
  ['SL', { ...base, kind: 'number', unit: 4 }],
  ['SQ', { ...base, kind: 'sequence', longLength: true }],
  ['SS', { ...base, kind: 'number', unit: 2 }],
  ['ST', longText],
  ['SV', { ...base, kind: 'number', longLength: true, unit: 8 }],
  ['TM', text],
  ['UC', { ...longText, multiple: true, longLength: true }],
  ['UI', { ...text, padding: 0 }],
  ['UL', { ...base, kind: 'number', unit: 4 }],
  ['UN', bytes],
  ['UR', { ...longText, localized: false, longLength: true }],
  ['US', { ...base, kind: 'number', unit: 2 }],
  ['UT', { ...longText, longLength: true }],
  ['UV', { ...base, kind: 'number', longLength: true, unit: 8 }],
] as const);

/** Every VR of the standard. */
export const VRS: readonly string[] = [...TRAITS.keys()];

/** Undefined for letters that are not a VR of the standard. */
export function vrTraits(vr: string): VrTraits | undefined {
  return TRAITS.get(vr);
}

/**
 * `US or SS` depends on Pixel Representation; other choices become words, as implicit syntaxes store them. PS3.5 A.1.
 */
export function resolveChoice(choice: string, signed: boolean): string {
  if (choice === 'US or SS') return signed ? 'SS' : 'US';
  return 'OW';
}
