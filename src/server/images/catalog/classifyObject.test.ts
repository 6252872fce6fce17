import { describe, expect, test } from 'vitest';
import { listStorageClasses } from '../../standard/dicom/uids.ts';
import { classifyObject } from './classifyObject.ts';
import { KIND_OF_SOP_CLASS } from './sopClassKinds.ts';

const EXPLICIT_LE = '1.2.840.10008.1.2.1';

function classify(sopClassUid: string, traits: Partial<Parameters<typeof classifyObject>[0]> = {}) {
  return classifyObject({
    sopClassUid,
    transferSyntaxUid: EXPLICIT_LE,
    hasPixels: false,
    hasFunctionalGroups: false,
    ...traits,
  });
}

const storageClasses = listStorageClasses();

test('the standard has more than two hundred storage classes to classify', () => {
  expect(storageClasses.length).toBeGreaterThan(200);
});

test.each(storageClasses)('$name has a kind by decision', ({ uid }) => {
  expect(KIND_OF_SOP_CLASS.get(uid)).toBeDefined();
});

test('no class outside the standard is in the table', () => {
  const known = storageClasses.map(({ uid }) => uid);

  expect([...KIND_OF_SOP_CLASS.keys()].filter((uid) => !known.includes(uid))).toEqual([]);
});

describe('the name of a class agrees with its kind', () => {
  test.each([
    [/^(Legacy Converted )?Enhanced (CT|MR|PET|XA|XRF|US)\b/, ['enhanced_image']],
    [/Tomosynthesis/, ['enhanced_image']],
    [/\bSR Storage\b/, ['structured_report']],
    [/Presentation State/, ['presentation_state']],
    [/Waveform Storage/, ['waveform']],
    [/^(Enhanced |Enhanced Continuous )?RT /, ['radiation_therapy']],
    [/^Encapsulated/, ['encapsulated_document']],
    [/Segmentation Storage/, ['segmentation']],
    [/Registration Storage/, ['registration']],
    [/^Video/, ['video']],
    [
      /Image Storage/,
      ['classic_image', 'enhanced_image', 'image', 'whole_slide_microscopy', 'video', 'radiation_therapy'],
    ],
  ])('%s', (pattern, kinds) => {
    const matching = storageClasses.filter(({ name }) => pattern.test(name));

    expect(matching.length).toBeGreaterThan(0);
    const disagreeing = matching.filter(({ uid }) => !kinds.includes(KIND_OF_SOP_CLASS.get(uid) ?? ''));
    expect(disagreeing.map(({ name }) => name)).toEqual([]);
  });
});

test.each([
  ['1.2.840.10008.5.1.4.1.1.2', 'classic_image'],
  ['1.2.840.10008.5.1.4.1.1.13.1.3', 'enhanced_image'],
  ['1.2.840.10008.5.1.4.1.1.77.1.6', 'whole_slide_microscopy'],
  ['1.2.840.10008.5.1.4.1.1.66.7', 'segmentation'],
  ['1.2.840.10008.5.1.4.1.1.30', 'parametric_map'],
  ['1.2.840.10008.5.1.4.1.1.67', 'real_world_value_mapping'],
  ['1.2.840.10008.5.1.4.1.1.88.59', 'key_object_selection'],
  ['1.2.840.10008.5.1.4.1.1.481.2', 'radiation_therapy'],
  ['1.2.840.10008.5.1.4.39.1', 'unknown'],
])('%s is a %s', (uid, kind) => {
  expect(classify(uid, { hasPixels: true })).toBe(kind);
});

test('a multi-frame secondary capture is enhanced when it has functional groups', () => {
  const uid = '1.2.840.10008.5.1.4.1.1.7.4';

  expect(classify(uid, { hasPixels: true })).toBe('classic_image');
  expect(classify(uid, { hasPixels: true, hasFunctionalGroups: true })).toBe('enhanced_image');
});

test.each(['100', '100.1', '101', '102', '103', '104', '105', '106', '107', '108', '108.1'])(
  'an image in transfer syntax .4.%s is a video',
  (tail) => {
    const transferSyntaxUid = `1.2.840.10008.1.2.4.${tail}`;

    expect(classify('1.2.840.10008.5.1.4.1.1.3.1', { hasPixels: true, transferSyntaxUid })).toBe('video');
    expect(classify('1.2.826.0.1.3680043.1', { hasPixels: true, transferSyntaxUid })).toBe('video');
  },
);

test('JPEG XL is no video', () => {
  const transferSyntaxUid = '1.2.840.10008.1.2.4.110';

  expect(classify('1.2.840.10008.5.1.4.1.1.2', { hasPixels: true, transferSyntaxUid })).toBe('classic_image');
});

test('a private class is judged by its content', () => {
  expect(classify('1.3.46.670589.11.0.0.12.1')).toBe('unknown');
  expect(classify('1.3.46.670589.11.0.0.12.1', { hasPixels: true })).toBe('classic_image');
  expect(classify('', { hasPixels: true, hasFunctionalGroups: true })).toBe('enhanced_image');
});
