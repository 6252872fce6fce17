import { OBJECT_KINDS, SPACING_SOURCES, SUPPORT_STATES } from '../../shared/contract/fileTerms.ts';
import { packSource } from '../origins/sourceColumns.ts';
import type { FileDescription } from './dicomFile.ts';
import { type FileColumns, type NumberName, NUMBERS, type TextName, TEXTS } from './fileColumns.ts';
import type { ConcatenationPart, SlidePlacement } from './placement.ts';

/** Puts files into columns, which `PackedFile` reads. */
export function packFiles(files: readonly FileDescription[]): FileColumns {
  const bytes = files.length * NUMBERS.length * Float64Array.BYTES_PER_ELEMENT;
  const numbers = new Float64Array(new SharedArrayBuffer(bytes));
  const orientations: (readonly number[])[] = [];
  const concatenations: ConcatenationPart[] = [];
  const slides: SlidePlacement[] = [];

  function placeParts({ placement }: FileDescription): Parts {
    const { orientation, concatenation, slide } = placement ?? {};
    // Images of a stack mostly follow each other.
    if (orientation !== undefined && !isEqual(orientation, orientations.at(-1))) orientations.push(orientation);
    return {
      orientation: orientation && orientations.length - 1,
      concatenation: concatenation && concatenations.push(concatenation) - 1,
      slide: slide && slides.push(slide) - 1,
    };
  }

  let at = 0;
  for (const file of files) {
    const values = numbersOf(file, placeParts(file));
    for (const name of NUMBERS) numbers[at++] = values[name] ?? NaN;
  }
  return { ...packTexts(files), numbers, orientations, concatenations, slides };
}

type Numbers = Readonly<Record<NumberName, number | undefined>>;
/** Where they are in their lists. */
type Parts = Pick<Numbers, 'orientation' | 'concatenation' | 'slide'>;

function numbersOf(file: FileDescription, parts: Parts): Numbers {
  const { pixelSpacingSource, pixelSpacingMm, defaultWindow, placement } = file;
  const { text: _text, ...source } = packSource(file.source, file.path);
  return {
    objectKind: OBJECT_KINDS.indexOf(file.objectKind),
    supportState: SUPPORT_STATES.indexOf(file.supportState),
    pixelSpacingSource: pixelSpacingSource && SPACING_SOURCES.indexOf(pixelSpacingSource),
    hasPixels: Number(file.hasPixels),
    burnedInAnnotation: Number(file.burnedInAnnotation),
    frameCount: file.frameCount,
    declaredFrameCount: file.declaredFrameCount,
    rows: file.rows,
    columns: file.columns,
    samplesPerPixel: file.samplesPerPixel,
    bitsAllocated: file.bitsAllocated,
    bitsStored: file.bitsStored,
    pixelAspectRatio: file.pixelAspectRatio,
    rowSpacingMm: pixelSpacingMm?.[0],
    columnSpacingMm: pixelSpacingMm?.[1],
    windowCenter: defaultWindow?.center,
    windowWidth: defaultWindow?.width,
    ...source,
    echoNumber: placement?.echoNumber,
    bValue: placement?.bValue,
    time: placement?.time,
    positionX: placement?.position?.[0],
    positionY: placement?.position?.[1],
    positionZ: placement?.position?.[2],
    hasFrameGeometry: Number(placement?.hasFrameGeometry ?? false),
    ...parts,
  };
}

function packTexts(files: readonly FileDescription[]): Pick<FileColumns, 'text' | 'textEnds' | 'texts'> {
  const texts = new Int32Array(new SharedArrayBuffer(files.length * TEXTS.length * Int32Array.BYTES_PER_ELEMENT));
  const places = new Map<string, number>();
  let at = 0;
  for (const file of files) {
    for (const name of TEXTS) {
      const text = textOf(file, name);
      const place = text === undefined ? -1 : (places.get(text) ?? places.size);
      if (text !== undefined && place === places.size) places.set(text, place);
      texts[at++] = place;
    }
  }
  const distinct = [...places.keys()];
  const textEnds = new Uint32Array(new SharedArrayBuffer(distinct.length * Uint32Array.BYTES_PER_ELEMENT));
  let end = 0;
  for (const [place, { length }] of distinct.entries()) textEnds[place] = end += length;
  return { text: distinct.join(''), textEnds, texts };
}

function textOf(file: FileDescription, name: TextName): string | undefined {
  if (name === 'imageType') return file.placement?.imageType;
  if (name === 'source') return packSource(file.source, file.path).text;
  return file[name];
}

function isEqual(a: readonly number[], b: readonly number[] | undefined): boolean {
  return a === b || (b !== undefined && a.every((number, index) => number === b[index]));
}
