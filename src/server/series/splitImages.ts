import type { DicomFile } from '../catalog/dicomFile.ts';

/**
 * Separates images that cannot be in one stack regardless of their geometry: different matrix, SOP class, echo or frame
 * of reference, and localizers. Each list keeps the order of the files, and the lists are in the order of their first
 * files.
 */
export function splitImages(files: readonly DicomFile[]): DicomFile[][] {
  const onlyEcho = findOnly(files, ({ placement }) => placement?.echoNumber);
  const onlyFrameOfReference = findOnly(files, ({ frameOfReferenceUid }) => frameOfReferenceUid);
  const lists = new Map<string, DicomFile[]>();
  let lastFile: DicomFile | undefined;
  let lastList: DicomFile[] = [];
  for (const file of files) {
    if (lastFile === undefined || !isAlike(file, lastFile)) {
      const traits = [
        file.sopClassUid,
        `${file.rows}x${file.columns}x${file.samplesPerPixel}`,
        isLocalizer(file),
        file.placement?.echoNumber ?? onlyEcho,
        file.frameOfReferenceUid ?? onlyFrameOfReference,
      ];
      const key = traits.join(' ');
      lastList = lists.get(key) ?? [];
      lists.set(key, lastList);
      lastFile = file;
    }
    lastList.push(file);
  }
  return [...lists.values()];
}

function isLocalizer({ placement }: DicomFile): boolean {
  return placement?.imageType.split('\\').slice(2).includes('LOCALIZER') ?? false;
}

/** True for files with identical traits: a fast path for consecutive images. */
function isAlike(a: DicomFile, b: DicomFile): boolean {
  return (
    a.rows === b.rows &&
    a.columns === b.columns &&
    a.samplesPerPixel === b.samplesPerPixel &&
    a.sopClassUid === b.sopClassUid &&
    a.frameOfReferenceUid === b.frameOfReferenceUid &&
    a.placement?.echoNumber === b.placement?.echoNumber &&
    a.placement?.imageType === b.placement?.imageType
  );
}

/** The value shared by all files that have one, which then also applies to the files without one. */
function findOnly<Value>(
  files: readonly DicomFile[],
  valueOf: (file: DicomFile) => Value | undefined,
): Value | undefined {
  let only: Value | undefined;
  for (const file of files) {
    const value = valueOf(file);
    if (value === undefined || value === only) continue;
    if (only !== undefined) return undefined;
    only = value;
  }
  return only;
}
