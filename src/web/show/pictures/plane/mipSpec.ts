/** Directions from which a volume is projected: the positions of a rotating MIP, a whole turn in equal steps. */
export const MIP_STEPS = 24;
const STEP_DEGREES = 360 / MIP_STEPS;

/** From which side a cell sees a volume. Its position turns on from there. */
export type MipSpec = {
  /** At the first position: 0 is the front, 90 the left side of the patient. From 0 to 359. */
  readonly azimuth: number;
  /** 90 is from the head, -90 from the feet. */
  readonly elevation: number;
  /** Counts from 0. */
  readonly time: number;
};

const NAME = 'mip';
const SEPARATOR = '~';

/** The specification as a text for ids and links, such as `mip~a30~e10~t2`. */
export function formatMip({ azimuth, elevation, time }: MipSpec): string {
  const parts = [NAME];
  if (azimuth !== 0) parts.push(`a${azimuth}`);
  if (elevation !== 0) parts.push(`e${elevation}`);
  if (time > 0) parts.push(`t${time}`);
  return parts.join(SEPARATOR);
}

/** Undefined if the text is no view of a volume. Parts that are not understood are ignored. */
export function parseMip(text: string): MipSpec | undefined {
  const [name, ...parts] = text.split(SEPARATOR);
  if (name !== NAME) return undefined;
  const numberAfter = (letter: string) =>
    Number(parts.find((part) => new RegExp(`^${letter}-?\\d{1,6}$`).test(part))?.slice(1) ?? 0);
  return {
    azimuth: wrap(numberAfter('a')),
    elevation: Math.min(90, Math.max(-90, numberAfter('e'))),
    time: Math.max(0, numberAfter('t')),
  };
}

/** The same view, turned by some degrees. */
export function turnMip(spec: MipSpec, by: { readonly left: number; readonly up: number }): MipSpec {
  const elevation = Math.min(90, Math.max(-90, Math.round(spec.elevation + by.up)));
  return { ...spec, azimuth: wrap(spec.azimuth + by.left), elevation };
}

/** The side at a position, from 0 to 359. */
export function azimuthAt({ azimuth }: MipSpec, position: number): number {
  return wrap(azimuth + position * STEP_DEGREES);
}

const SIDES: Readonly<Record<number, string>> = {
  0: 'from the front',
  90: 'from the left',
  180: 'from the back',
  270: 'from the right',
};

/** The side in words. A volume without a patient has no front. */
export function describeView(spec: MipSpec, position: number, hasPatient: boolean): string {
  const azimuth = azimuthAt(spec, position);
  const { elevation } = spec;
  if (!hasPatient) return `turned ${azimuth}°${elevation === 0 ? '' : `, tilted ${elevation}°`}`;
  if (Math.abs(elevation) === 90) return elevation > 0 ? 'from the head' : 'from the feet';
  const aside = azimuth <= 180 ? `${azimuth}° to the left` : `${360 - azimuth}° to the right`;
  const tilt = elevation === 0 ? '' : `, ${Math.abs(elevation)}° from ${elevation > 0 ? 'above' : 'below'}`;
  return `${SIDES[azimuth] ?? aside}${tilt}`;
}

function wrap(degrees: number): number {
  return ((Math.round(degrees) % 360) + 360) % 360;
}
