import { EVEN_COLORS } from './evenColors.ts';

const LEVELS = 256;

/** A mapping from gray levels to colors. */
export type ColorMap = {
  readonly name: string;
  readonly title: string;
  /** `even`: a matplotlib map of even brightness. `standard`: a palette of PS3.6 annex B. `rainbow`: as doses are shown. `difference`: white for zero in the middle. */
  readonly origin: 'gray' | 'even' | 'standard' | 'rainbow' | 'difference';
} & (Channels | Colors);

/** `level:value` pairs for red, green and blue. Values between two levels are interpolated linearly. */
type Channels = { readonly channels: readonly [red: string, green: string, blue: string] };
/** Of each channel the first value, and the steps to the others (evenColors.ts). */
type Colors = { readonly colors: readonly [red: string, green: string, blue: string] };

/**
 * The levels of gray and of the maps of even brightness can be distinguished without seeing red or green. The others
 * are the well-known palettes of PS3.6 annex B. Every map has the 256 entries that were published.
 */
export const COLOR_MAPS = [
  { name: 'gray', title: 'Gray', channels: ['0:0 255:255', '0:0 255:255', '0:0 255:255'], origin: 'gray' },
  { name: 'viridis', title: 'Viridis', colors: EVEN_COLORS.viridis, origin: 'even' },
  { name: 'inferno', title: 'Inferno', colors: EVEN_COLORS.inferno, origin: 'even' },
  { name: 'magma', title: 'Magma', colors: EVEN_COLORS.magma, origin: 'even' },
  {
    name: 'hot-iron',
    title: 'Hot iron',
    channels: ['0:0 127:254 129:255 255:255', '0:0 128:0 254:252 255:255', '0:0 191:0 254:252 255:255'],
    origin: 'standard',
  },
  {
    name: 'pet',
    title: 'PET',
    channels: [
      '0:0 63:0 64:1 149:170 150:171 192:255 255:255',
      '0:0 31:62 33:67 62:125 63:128 95:64 97:61 127:1 128:0 254:252 255:255',
      '0:0 1:1 128:255 130:248 192:0 233:165 235:174 254:250 255:255',
    ],
    origin: 'standard',
  },
  {
    name: 'hot-metal-blue',
    title: 'Hot metal blue',
    channels: [
      '0:0 85:0 102:50 119:90 153:190 170:255 255:255',
      '0:0 119:0 238:224 255:255',
      '0:0 17:33 42:83 43:84 76:149 93:183 94:184 102:200 119:150 136:50 153:0 170:0 238:200 255:255',
    ],
    origin: 'standard',
  },
  {
    name: 'pet-20-step',
    title: 'PET 20 step',
    channels: [
      '0:0 12:0 13:96 25:96 26:48 50:48 51:80 63:80 64:96 76:96 77:112 89:112 90:128 101:128 102:48 127:48 128:80 140:80 141:64 152:64 153:224 165:224 166:208 203:208 204:192 216:192 217:176 229:176 230:255 255:255',
      '0:0 25:0 26:48 50:48 51:80 63:80 64:96 76:96 77:112 89:112 90:128 101:128 102:96 114:96 115:144 127:144 128:192 140:192 141:224 165:224 166:208 178:208 179:176 191:176 192:144 203:144 204:96 216:96 217:48 229:48 230:0 242:0 243:255 255:255',
      '0:0 12:0 13:80 38:80 39:112 50:112 51:128 63:128 64:176 76:176 77:192 89:192 90:224 101:224 102:48 127:48 128:80 140:80 141:64 152:64 153:80 165:80 166:96 178:96 179:64 191:64 192:0 242:0 243:255 255:255',
    ],
    origin: 'standard',
  },
  { name: 'spring', title: 'Spring', channels: ['0:255 255:255', '0:0 255:255', '0:255 255:0'], origin: 'standard' },
  {
    name: 'summer',
    title: 'Summer',
    channels: ['0:0 255:0', '0:255 255:128', '0:0 127:0 255:254'],
    origin: 'standard',
  },
  { name: 'fall', title: 'Fall', channels: ['0:255 255:255', '0:255 255:0', '0:0 255:0'], origin: 'standard' },
  {
    name: 'winter',
    title: 'Winter',
    channels: ['0:0 127:0 255:127', '0:0 255:255', '0:255 255:128'],
    origin: 'standard',
  },
  {
    name: 'rainbow',
    title: 'Rainbow',
    channels: ['0:0 128:0 191:255 255:255', '0:0 64:255 191:255 255:0', '0:255 64:255 128:0 255:0'],
    origin: 'rainbow',
  },
  {
    name: 'blue-white-red',
    title: 'Blue, white, red',
    channels: ['0:0 128:255 255:255', '0:0 128:255 255:0', '0:255 128:255 255:0'],
    origin: 'difference',
  },
] as const satisfies readonly ColorMap[];

export type ColorMapName = (typeof COLOR_MAPS)[number]['name'];

export function getColorMap(name: ColorMapName): ColorMap {
  return COLOR_MAPS.find((map) => map.name === name) ?? COLOR_MAPS[0];
}

export function findColorMapName(text: string): ColorMapName | undefined {
  return COLOR_MAPS.find(({ name }) => name === text)?.name;
}

/** One opaque RGBA pixel per gray level, as a little-endian number. */
export function colorTableOf(name: ColorMapName): Uint32Array {
  const map = getColorMap(name);
  const known = tables.get(map) ?? buildTable(map);
  tables.set(map, known);
  return known;
}

const tables = new WeakMap<ColorMap, Uint32Array>();

const OPAQUE = 0xff000000;

function buildTable(map: ColorMap): Uint32Array {
  const channels = 'colors' in map ? map.colors.map(addSteps) : map.channels.map(spreadOut);
  const valueOf = (level: number, channel: number) => channels[channel]?.[level] ?? 0;
  return Uint32Array.from(
    { length: LEVELS },
    (_, level) => OPAQUE + valueOf(level, 2) * 0x10000 + valueOf(level, 1) * 0x100 + valueOf(level, 0),
  );
}

function addSteps(text: string): number[] {
  let value = Number.parseInt(text, 10);
  const steps = text.replace(/^\d+/, '');
  return [value, ...Array.from(steps, (step) => (value += step.charCodeAt(0) - NO_STEP))];
}

const NO_STEP = 'm'.charCodeAt(0);

/** The value of one channel at every level. */
function spreadOut(text: string): number[] {
  const knots = text.split(' ').map((knot) => knot.split(':').map(Number));
  const values: number[] = [];
  for (const [i, [level = 0, value = 0]] of knots.entries()) {
    const [next = level, nextValue = value] = knots[i + 1] ?? [];
    values[level] = value;
    for (let at = level + 1; at < next; at++) {
      values[at] = Math.round(value + ((nextValue - value) * (at - level)) / (next - level));
    }
  }
  return values;
}
