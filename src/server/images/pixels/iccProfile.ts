/**
 * Checks the color space in the profile's own header, because readers reject or misinterpret a profile of another one.
 */
export function isProfileFor(profile: Uint8Array, colorSpace: 'GRAY' | 'RGB '): boolean {
  return profile.length >= 128 && ascii(profile, 36) === 'acsp' && ascii(profile, 16) === colorSpace;
}

function ascii(bytes: Uint8Array, position: number): string {
  return String.fromCharCode(...bytes.subarray(position, position + 4));
}
