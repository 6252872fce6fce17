import { vrOfCode } from './elementCursor.ts';
import * as Tag from './tag.ts';

/** (7FE0,0010) and its two relatives for floating point samples. */
export function isPixelData(tag: number): boolean {
  return tag === Tag.PixelData || tag === Tag.FloatPixelData || tag === Tag.DoubleFloatPixelData;
}

/** The VR as written; 0 stands for an implicit syntax, where the tag decides. PS3.5 A.1. */
export function pixelDataVr(tag: number, vrCode: number): string {
  if (vrCode !== 0) return vrOfCode(vrCode);
  if (tag === Tag.FloatPixelData) return 'OF';
  return tag === Tag.DoubleFloatPixelData ? 'OD' : 'OW';
}
