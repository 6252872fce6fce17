/** Tags of a segment are kept by 3D Slicer; this one has the class that the segment was. */
const CLASS_TAG = 'negato.class';

export function writeClassTag(key: string | null): string {
  return `${CLASS_TAG}:${encodeURIComponent(key ?? '')}|`;
}

/** The key of the class, null for none. Undefined without the tag. */
export function findClassTag(tags: string | undefined): string | null | undefined {
  const tag = tags?.split('|').find((one) => one.startsWith(`${CLASS_TAG}:`));
  if (tag === undefined) return undefined;
  try {
    const key = decodeURIComponent(tag.slice(CLASS_TAG.length + 1));
    return key === '' ? null : key;
  } catch {
    return undefined;
  }
}
