import { vrOfCode } from './vrCodes.ts';
import * as Tag from './tag.ts';

/** Pixel Data (7FE0,0010), and the two elements for floating point samples. */
export function isPixelData(tag: number): boolean {
  return tag === Tag.PixelData || tag === Tag.FloatPixelData || tag === Tag.DoubleFloatPixelData;
}

/** The VR as written; a code of 0 means an implicit syntax, where the tag determines the VR. PS3.5 A.1. */
export function pixelDataVr(tag: number, vrCode: number): string {
  if (vrCode !== 0) return vrOfCode(vrCode);
  if (tag === Tag.FloatPixelData) return 'OF';
  return tag === Tag.DoubleFloatPixelData ? 'OD' : 'OW';
}
