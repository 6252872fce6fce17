import { HEADER, type RawPresentation } from '../../../shared/contract/headers.ts';
import { parseFrameDamage } from '../../../shared/frameDamage.ts';
import { toRescale } from '../../../shared/modality.ts';
import { type PixelPadding, toPixelPadding } from '../../../shared/padding.ts';
import { type NumberSamples, type SampleArray, toNumberSamples } from '../../../shared/sampleArray.ts';
import { parseVoiShape } from '../../../shared/voiWindow.ts';
import type { GrayFrame, SampleOrigin } from './loadedFrame.ts';

/** Parses an answer of /raw into a gray frame; undefined if its samples are no gray levels. */
export function parseRawFrame(headers: Headers, bytes: ArrayBuffer): GrayFrame | undefined {
  const photometric = headers.get(HEADER.photometricInterpretation);
  if (photometric !== 'MONOCHROME1' && photometric !== 'MONOCHROME2') return undefined;
  const [rows, columns] = [getNumber(headers, HEADER.rows), getNumber(headers, HEADER.columns)];
  const samples = parseSamples(headers, bytes);
  if (samples.length !== rows * columns) {
    throw new Error(`received ${samples.length} samples for ${columns} x ${rows} pixels`);
  }
  const [center, width] = [HEADER.defaultWindowCenter, HEADER.defaultWindowWidth].map((name) =>
    findNumber(headers, name),
  );
  const declaredShape = headers.get(HEADER.voiLutFunction);
  return {
    kind: 'gray',
    rows,
    columns,
    samples,
    isMonochrome1: photometric === 'MONOCHROME1',
    modality: toRescale(findNumber(headers, HEADER.rescaleSlope), findNumber(headers, HEADER.rescaleIntercept)),
    voi: {
      windows: center === undefined || width === undefined ? [] : [{ center, width }],
      shape: declaredShape === null ? undefined : parseVoiShape(declaredShape),
      tables: [],
    },
    padding: parsePadding(headers),
    presentation: parsePresentation(headers.get(HEADER.presentation)),
    damage: parseFrameDamage(headers.get(HEADER.damage)),
    outOfRange: findNumber(headers, HEADER.outOfRange),
    origin: parseOrigin(headers),
  };
}

function parseSamples(headers: Headers, bytes: ArrayBuffer): NumberSamples {
  const bits = getNumber(headers, HEADER.bitsAllocated);
  const isFloat = headers.get(HEADER.sampleKind) === 'float';
  const isSigned = headers.get(HEADER.pixelRepresentation) === '1';
  return toNumberSamples(viewSamples(bytes, { bits, isFloat, isSigned }));
}

type SampleForm = { readonly bits: number; readonly isFloat: boolean; readonly isSigned: boolean };

/** The bytes are little endian, as are all machines that run browsers. */
function viewSamples(bytes: ArrayBuffer, { bits, isFloat, isSigned }: SampleForm): SampleArray {
  if (isFloat) return bits === 64 ? new Float64Array(bytes) : new Float32Array(bytes);
  // One-bit samples are sent as bytes.
  if (bits <= 8) return isSigned ? new Int8Array(bytes) : new Uint8Array(bytes);
  if (bits === 16) return isSigned ? new Int16Array(bytes) : new Uint16Array(bytes);
  if (bits === 32) return isSigned ? new Int32Array(bytes) : new Uint32Array(bytes);
  if (bits === 64) return isSigned ? new BigInt64Array(bytes) : new BigUint64Array(bytes);
  throw new Error(`samples of ${bits} bits are not supported`);
}

/** Only planes of volumes say how they were sampled. */
function parseOrigin(headers: Headers): SampleOrigin | undefined {
  const [, , sheets = '1'] = headers.get(HEADER.planeSlab)?.split(';') ?? [];
  if (Number(sheets) > 1) return 'projected';
  const sampling = headers.get(HEADER.planeSampling);
  return sampling === null || sampling === 'stored' ? undefined : 'interpolated';
}

function parsePadding(headers: Headers): PixelPadding | undefined {
  return toPixelPadding(findNumber(headers, HEADER.paddingLow), findNumber(headers, HEADER.paddingHigh));
}

function parsePresentation(term: string | null): RawPresentation {
  // An unknown term cannot be drawn by this client.
  return term === 'raw' || term === 'server_default' ? term : 'server';
}

function getNumber(headers: Headers, name: string): number {
  const value = findNumber(headers, name);
  if (value === undefined) throw new Error(`the server sent no ${name}`);
  return value;
}

function findNumber(headers: Headers, name: string): number | undefined {
  const text = headers.get(name);
  return text === null ? undefined : Number(text);
}
