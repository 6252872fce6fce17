import * as Tag from '../../../src/server/standard/dicom/tag.ts';
import { type HostileFile, refused, shown } from '../hostileFile.ts';
import { FORMS, KNOWN_TAGS, writeManyValues } from '../manyValues.ts';
import { OBJECTS_OF_EVERY_KIND } from '../objectsOfEveryKind.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Elements that have their correct values, followed by thousands or millions more. */
export const manyValues: readonly HostileFile[] = [...longEverywhere(), ...everyKnownAttribute(), ...oneAtATime()];

/** All elements of an object at once. Deflating them reduces their size to a thousandth. */
function longEverywhere(): HostileFile[] {
  return Object.entries(OBJECTS_OF_EVERY_KIND).flatMap(([kind, base]) =>
    FORMS.map((form) => {
      const bytes = form === 'deflated' ? 256 * KIB : 16 * KIB;
      const write = () => writeManyValues({ base, form, isLong: () => true, bytes });
      return answered(`${kind}, ${form}, with many values`, kind, write);
    }),
  );
}

/**
 * Every attribute that the code has a name for, at the top level and in every item, whether it belongs there or not.
 */
function everyKnownAttribute(): HostileFile[] {
  return ['an enhanced image', 'a key object selection'].flatMap((kind) =>
    FORMS.map((form) => {
      const base = OBJECTS_OF_EVERY_KIND[kind] ?? {};
      // Together below what the scan inflates, beyond which it would find no pixels.
      const bytes = form === 'deflated' ? 4 * KIB : KIB;
      const write = () => writeManyValues({ base, form, isLong: () => true, bytes, added: KNOWN_TAGS });
      return answered(`${kind}, ${form}, with many values of every attribute`, kind, write);
    }),
  );
}

/** Tens of millions of values in a few kilobytes, in attributes that the page requests when it opens. */
function oneAtATime(): HostileFile[] {
  const bombs = {
    'Window Center': [Tag.WindowCenter, 'a CT image'],
    'Image Position': [Tag.ImagePositionPatient, 'a CT image'],
    'Rescale Slope': [Tag.RescaleSlope, 'a CT image'],
    'Grid Frame Offset Vector': [Tag.GridFrameOffsetVector, 'a dose'],
    'Referenced Frame Number': [Tag.ReferencedFrameNumber, 'a key object selection'],
  } as const;
  return Object.entries(bombs).map(([name, [tag, kind]]) => {
    const base = OBJECTS_OF_EVERY_KIND[kind] ?? {};
    const write = () => writeManyValues({ base, form: 'deflated', isLong: (each) => each === tag, bytes: 40 * MIB });
    return answered(`${name} of 40 MB`, kind, write);
  });
}

function answered(name: string, kind: string, write: () => Uint8Array): HostileFile {
  return kind === 'a key object selection' ? refused(name, 'no_pixel_data', write) : shown(name, write);
}
