import { VRS, vrTraits } from './vr.ts';

export const SHORT_LENGTH = 1;
export const LONG_LENGTH = 2;

const VR_NAMES = new Map<number, string>();
const VR_FORM = new Uint8Array(0x10000);
for (const vr of VRS) {
  VR_NAMES.set(vrCodeOf(vr), vr);
  VR_FORM[vrCodeOf(vr)] = vrTraits(vr)?.longLength === true ? LONG_LENGTH : SHORT_LENGTH;
}

export function vrCodeOf(vr: string): number {
  return vr.charCodeAt(0) * 0x100 + vr.charCodeAt(1);
}

/** The two letters of a VR code, whether or not the VR is known. */
export function vrOfCode(code: number): string {
  return VR_NAMES.get(code) ?? String.fromCharCode(code >> 8, code & 0xff);
}

export function isKnownVrCode(code: number): boolean {
  return VR_FORM[code] !== 0;
}

/** The form of the length after this VR in explicit syntaxes: SHORT_LENGTH, LONG_LENGTH, or 0 if it is not a VR. */
export function lengthFormOfVr(code: number): number {
  return VR_FORM[code] ?? 0;
}
