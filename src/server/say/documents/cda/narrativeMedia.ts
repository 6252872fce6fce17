import type { ErrorCode } from '../../../../shared/contract/errorStatus.ts';
import type { NarrativeMedium } from '../../../../shared/contract/narrative.ts';
import { DecodeError } from '../../../images/pixels/codecs/codec.ts';
import { readJpegHeader } from '../../../images/pixels/codecs/jpegHeader.ts';
import { type ContentFormat, SNIFFED_BYTES, sniffContent } from '../content/sniffContent.ts';
import { childrenOf, type XmlElement } from './parseXml.ts';

/** Where a document holds bytes that may be a picture: the values of its media, and a body that is no XML. */
export type NarrativeMedia = {
  /** In the order of the document. The place in the list is the number of the picture. */
  readonly values: readonly XmlElement[];
  /** What the narrative can refer to. */
  readonly named: ReadonlyMap<string, NamedMedium>;
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
};

type NamedMedium = {
  /** Undefined if there is a medium of this name without a value. */
  readonly number: number | undefined;
  /** The shape of the region if it is a region of the medium that is named. */
  readonly region: string | undefined;
};

const MOST_MEDIA = 200;

/** Finds `observationMedia` everywhere in the document, and the `text` of a body that is no XML. */
export function findMedia(root: XmlElement): NarrativeMedia {
  const values: XmlElement[] = [];
  const named = new Map<string, NamedMedium>();
  let isCut = false;
  const add = (value: XmlElement | undefined): number | undefined => {
    if (value === undefined) return undefined;
    if (values.length >= MOST_MEDIA) {
      isCut = true;
      return undefined;
    }
    return values.push(value) - 1;
  };
  const nameMedium = (id: string | undefined, medium: NamedMedium) => {
    if (id !== undefined && !named.has(id)) named.set(id, medium);
  };
  const walk = (parent: XmlElement, region: NarrativeRegion | undefined) => {
    for (const child of parent.children) {
      if (typeof child === 'string') continue;
      if (child.name === 'observationMedia') {
        const number = add(childrenOf(child, 'value')[0]);
        nameMedium(child.attributes.get('ID'), { number, region: undefined });
        nameMedium(region?.id, { number, region: region?.shape });
      } else if (child.name === 'nonXMLBody') add(childrenOf(child, 'text')[0]);
      walk(child, child.name === 'regionOfInterest' ? toRegion(child) : region);
    }
  };
  walk(root, undefined);
  return { values, named, isCut };
}

type NarrativeRegion = { readonly id: string | undefined; readonly shape: string };

function toRegion(element: XmlElement): NarrativeRegion {
  const shape = childrenOf(element, 'code')[0]?.attributes.get('code') ?? 'unknown shape';
  return { id: element.attributes.get('ID'), shape: shape.slice(0, 40) };
}

type DecodedMedium = NarrativeMedium & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Why a medium is no picture that is shown: a part of a sentence that begins with its name. */
export type UnshownMedium = { readonly code: ErrorCode; readonly problem: string };

/** A browser takes four bytes for each, so this is 160 MB. */
const MOST_PIXELS = 40_000_000;

const MEDIA_TYPES = { png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif', pdf: 'application/pdf' } as const;

/**
 * The bytes of a medium if they are a picture of a format that holds pixels only, or a PDF. SVG is none of these, and
 * neither the declared media type nor the name decides.
 */
export function decodeMedium(number: number, value: XmlElement): DecodedMedium | UnshownMedium {
  const place = childrenOf(value, 'reference')[0]?.attributes.get('value');
  const text = value.children.filter((child) => typeof child === 'string').join('');
  if (text.trim() === '') {
    const problem =
      place === undefined ? 'is empty' : `lies outside of the document and is not loaded: ${place.slice(0, 200)}`;
    return { code: 'item_not_found', problem };
  }
  // Its own memory, which can be transferred. Characters that Base64 does not have are skipped.
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  const format = sniffContent(bytes.subarray(0, SNIFFED_BYTES), bytes.length);
  if (!isShownFormat(format)) {
    const declared = value.attributes.get('mediaType');
    const name = declared === undefined ? '' : ` (${declared.slice(0, 80)})`;
    return { code: 'unsupported_media_type', problem: `is no PNG, JPEG, GIF or PDF file${name} and is not shown` };
  }
  if (format === 'pdf') return { number, media_type: MEDIA_TYPES.pdf, width: null, height: null, bytes };
  const size = measure(format, bytes);
  if (size === undefined || size.width === 0 || size.height === 0) {
    return { code: 'malformed_content', problem: `has no valid ${format.toUpperCase()} header and is not shown` };
  }
  const { width, height } = size;
  if (width * height > MOST_PIXELS) {
    return { code: 'document_too_large', problem: `has ${width} × ${height} pixels, too many to be shown` };
  }
  return { number, media_type: MEDIA_TYPES[format], width, height, bytes };
}

type ShownFormat = keyof typeof MEDIA_TYPES;

function isShownFormat(format: ContentFormat): format is ShownFormat {
  return Object.hasOwn(MEDIA_TYPES, format);
}

type PictureSize = { readonly width: number; readonly height: number };

function measure(format: Exclude<ShownFormat, 'pdf'>, bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (format) {
    // The IHDR chunk is first: width and height follow its length and name. ISO/IEC 15948, 11.2.2.
    case 'png':
      return bytes.length < 24 ? undefined : { width: view.getUint32(16), height: view.getUint32(20) };
    // The logical screen follows the six bytes of the signature. GIF89a, 18.
    case 'gif':
      return bytes.length < 10 ? undefined : { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case 'jpeg':
      try {
        const { columns, rows } = readJpegHeader(bytes);
        return { width: columns, height: rows };
      } catch (error) {
        if (error instanceof DecodeError) return undefined;
        throw error;
      }
  }
}
