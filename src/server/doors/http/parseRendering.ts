import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import { sizeWithin } from '../../images/pixels/shrinkPicture.ts';
import { coversType, type MediaRange } from './mediaRanges.ts';

/** How a frame is rendered for a client of DICOMweb. PS3.18 8.3.5. */
export type Rendering = {
  readonly isMultipart: boolean;
  readonly format: 'png' | 'jpeg';
  /** Of a JPEG, from 1 to 100. */
  readonly quality: number;
  /** Maximum length of the longer edge. */
  readonly size: number;
  readonly wc?: number;
  readonly ww?: number;
  /** Parameters that have no effect, for a warning. */
  readonly ignored: readonly string[];
};

const MOST_VIEWPORT = 16_384;
const DEFAULT_QUALITY = 90;
const THUMBNAIL_SIZE = 128;
const NUMBER = String.raw`-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?`;
const WINDOW = new RegExp(`^(${NUMBER}),(${NUMBER}),(linear|linear-exact|sigmoid)$`, 'i');

export function parseRendering(
  query: string,
  ranges: readonly MediaRange[],
  file: DicomFile,
  { isThumbnail }: { readonly isThumbnail: boolean },
): Rendering {
  const parameters = new URLSearchParams(query);
  const viewport = parseViewport(parameters.get('viewport') ?? undefined);
  const whole = isThumbnail ? THUMBNAIL_SIZE : Math.max(file.rows, file.columns, 1);
  return {
    ...chooseFormat(ranges),
    quality: parseQuality(parameters.get('quality') ?? undefined),
    size: viewport === undefined ? whole : sizeWithin(toSize(file), viewport),
    ...parseWindow(parameters.get('window') ?? undefined),
    ignored: ['annotation', 'iccprofile', 'volumeinputreference'].filter((name) => parameters.has(name)),
  };
}

/** A file of the catalog has getters, which a copy leaves out. */
function toSize({ rows, columns, pixelAspectRatio }: DicomFile) {
  return { rows, columns, pixelAspectRatio };
}

/** JPEG is the default of the standard. */
function chooseFormat(ranges: readonly MediaRange[]): Pick<Rendering, 'isMultipart' | 'format'> {
  for (const range of ranges) {
    const { isMultipart } = range;
    if (coversType(range, 'image/jpeg')) return { isMultipart, format: 'jpeg' };
    if (coversType(range, 'image/png')) return { isMultipart, format: 'png' };
  }
  throw new ViewerError('not_acceptable', 'pictures are rendered as image/jpeg or image/png');
}

/** Center, width and function. The function is that of the image, as the standard says that images are shown. */
function parseWindow(text: string | undefined): Pick<Rendering, 'wc' | 'ww'> {
  if (text === undefined) return {};
  const [, center, width, shape] = WINDOW.exec(text) ?? [];
  if (center === undefined || width === undefined || shape === undefined) {
    throw new ViewerError('invalid_query', 'window is a center, a width and a function, such as 40,400,linear');
  }
  if (shape.toLowerCase() !== 'linear') {
    throw new ViewerError('invalid_query', 'window: the function linear is supported, for all images');
  }
  return { wc: Number(center), ww: Number(width) };
}

function parseQuality(text: string | undefined): number {
  if (text === undefined) return DEFAULT_QUALITY;
  const quality = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (quality < 1 || quality > 100) throw new ViewerError('invalid_query', 'quality is a whole number from 1 to 100');
  return quality;
}

function parseViewport(text: string | undefined): { readonly width: number; readonly height: number } | undefined {
  if (text === undefined) return undefined;
  const [, width, height] = /^(\d{1,5}),(\d{1,5})$/.exec(text) ?? [];
  const edges = [Number(width ?? 0), Number(height ?? 0)] as const;
  if (Math.min(...edges) < 1 || Math.max(...edges) > MOST_VIEWPORT) {
    throw new ViewerError(
      'invalid_query',
      `viewport is a width and a height from 1 to ${MOST_VIEWPORT}, such as 512,512; parts of images are not supported`,
    );
  }
  return { width: edges[0], height: edges[1] };
}
