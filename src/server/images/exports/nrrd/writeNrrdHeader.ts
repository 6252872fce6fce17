import type { SampleStorage } from '../../volumes/volume.ts';
import type { NiftiGrid } from '../nifti/niftiGrid.ts';

export type NrrdHeader = {
  /** Rows run up in it, as in files of NIfTI. */
  readonly grid: NiftiGrid;
  readonly storage: SampleStorage;
  /** A fourth axis, which runs fastest if it is the first one; undefined for a single volume. */
  readonly list: { readonly count: number; readonly at: 'first' | 'last' } | undefined;
  /** Name and version of the program. */
  readonly software: string;
  /** Further lines. */
  readonly fields?: readonly string[];
};

const TYPES: Readonly<Record<SampleStorage, string>> = {
  uint8: 'unsigned char',
  int8: 'signed char',
  uint16: 'unsigned short',
  int16: 'short',
  uint32: 'unsigned int',
  int32: 'int',
  float32: 'float',
  float64: 'double',
};

/** What is before the samples of an NRRD file, which follow it packed. */
export function writeNrrdHeader(header: NrrdHeader): Uint8Array<ArrayBuffer> {
  const { grid, storage, list, software, fields = [] } = header;
  const { size, vectors, origin } = grid;
  const withList = (values: readonly (string | number)[], ofList: string | number) => {
    if (list === undefined) return values.join(' ');
    return (list.at === 'first' ? [ofList, ...values] : [...values, ofList]).join(' ');
  };
  const lines = [
    'NRRD0004',
    `# ${software}`,
    `type: ${TYPES[storage]}`,
    `dimension: ${list === undefined ? 3 : 4}`,
    'space: left-posterior-superior',
    `sizes: ${withList(size, list?.count ?? 1)}`,
    `space directions: ${withList(vectors.map(toLps), 'none')}`,
    `kinds: ${withList(['domain', 'domain', 'domain'], 'list')}`,
    'endian: little',
    'encoding: gzip',
    `space origin: ${toLps(origin)}`,
    ...fields,
  ];
  return new TextEncoder().encode(`${lines.join('\n')}\n\n`);
}

/** The grid of NIfTI has x to the right and y to the front. */
function toLps([x, y, z]: readonly [number, number, number]): string {
  return `(${0 - x},${0 - y},${z})`;
}
