import { describe, expect, test } from 'vitest';
import { bufferSource } from '../../bytes/origins/byteSource.ts';
import { readDicom } from '../../standard/dicom/readDataSet.ts';
import { type DataSetInput, writeDicom } from '../../standard/dicom/writeDicom.ts';
import { type DeclaredReference, referenceAt } from './declaredReferences.ts';
import { extractReferences, REFERENCE_LIMITS } from './extractReferences.ts';

const STORAGE = '1.2.840.10008.5.1.4.1.1.';
const CT = `${STORAGE}2`;
const SEG = `${STORAGE}66.4`;

function extract(sopClass: string, elements: DataSetInput) {
  const bytes = writeDicom({ SOPClassUID: STORAGE + sopClass, SOPInstanceUID: '2.25.1', ...elements });
  const declared = extractReferences(readDicom(bufferSource(bytes)).dataSet);
  const list: DeclaredReference[] = [];
  for (let i = 0; i < declared.length; i++) {
    const { frameNumbers, segmentNumbers, ...named } = referenceAt(declared, i);
    list.push({ ...named, frameNumbers: [...frameNumbers], segmentNumbers: [...segmentNumbers] });
  }
  return { list, truncated: declared.truncated };
}

function item(uid: string, more: DataSetInput = {}, sopClassUid = CT): DataSetInput {
  return { ReferencedSOPClassUID: sopClassUid, ReferencedSOPInstanceUID: uid, ...more };
}

function series(uid: string, ...images: DataSetInput[]): DataSetInput {
  return { SeriesInstanceUID: uid, ReferencedImageSequence: images };
}

function code(value: string): DataSetInput[] {
  return [{ CodeValue: value, CodingSchemeDesignator: 'DCM', CodeMeaning: value }];
}

/** Relationship and SOP Instance UID of each reference. */
function pairs({ list }: { list: readonly DeclaredReference[] }) {
  return list.map(({ relationship, sopInstanceUid }) => [relationship, sopInstanceUid]);
}

describe('the class of the object and the sequences around it say what a reference means', () => {
  test.each<[string, string, DataSetInput, string]>([
    ['SEG, source image', '66.4', { SourceImageSequence: [item('2.25.9')] }, 'source_image_for_segmentation'],
    [
      'label map, derivation of a frame',
      '66.7',
      { PerFrameFunctionalGroupsSequence: [{ DerivationImageSequence: [{ SourceImageSequence: [item('2.25.9')] }] }] },
      'source_image_for_segmentation',
    ],
    [
      'SEG, referenced series',
      '66.4',
      { ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.8', ReferencedInstanceSequence: [item('2.25.9')] }] },
      'source_image_for_segmentation',
    ],
    ['parametric map', '30', { SourceImageSequence: [item('2.25.9')] }, 'source_image'],
    [
      'value mapping',
      '67',
      { ReferencedImageRealWorldValueMappingSequence: [{ ReferencedImageSequence: [item('2.25.9')] }] },
      'source_image',
    ],
    [
      'grayscale state, series',
      '11.1',
      { ReferencedSeriesSequence: [series('2.25.8', item('2.25.9'))] },
      'source_image',
    ],
    [
      'color state, graphics',
      '11.2',
      { GraphicAnnotationSequence: [{ ReferencedImageSequence: [item('2.25.9')] }] },
      'source_image',
    ],
    [
      'blending state',
      '11.4',
      { BlendingSequence: [{ ReferencedSeriesSequence: [series('2.25.8', item('2.25.9'))] }] },
      'blending_source',
    ],
    [
      'advanced blending state',
      '11.8',
      { AdvancedBlendingSequence: [series('2.25.8', item('2.25.9'))] },
      'blending_input',
    ],
    [
      'deformable registration',
      '66.3',
      { DeformableRegistrationSequence: [{ ReferencedImageSequence: [item('2.25.9')] }] },
      'deformation_source',
    ],
    ['dose, structure set', '481.2', { ReferencedStructureSetSequence: [item('2.25.9')] }, 'source_structure_set'],
    ['plan, structure set', '481.5', { ReferencedStructureSetSequence: [item('2.25.9')] }, 'referenced_structure_set'],
    ['dose, plan', '481.2', { ReferencedRTPlanSequence: [item('2.25.9')] }, 'referenced_rt_plan'],
    ['plan, dose', '481.5', { ReferencedDoseSequence: [item('2.25.9')] }, 'referenced_dose'],
    ['radiation set', '481.12', { ReferencedRTRadiationSequence: [item('2.25.9')] }, 'referenced_rt_radiation'],
    ['radiation, definition source', '481.13', { DefinitionSourceSequence: [item('2.25.9')] }, 'definition_source'],
    [
      'structure set, contour',
      '481.3',
      { ROIContourSequence: [{ ContourSequence: [{ ContourImageSequence: [item('2.25.9')] }] }] },
      'source_image',
    ],
    ['any image, source image', '2', { SourceImageSequence: [item('2.25.9')] }, 'source_image'],
    ['any image, another image', '2', { ReferencedImageSequence: [item('2.25.9')] }, 'unknown'],
    ['any image, study', '2', { ReferencedStudySequence: [item('2.25.9', {}, '1.2.840.10008.3.1.2.3.1')] }, 'unknown'],
  ])('%s', (_, sopClass, elements, relationship) => {
    expect(pairs(extract(sopClass, elements))).toEqual([[relationship, '2.25.9']]);
  });

  test('of a registration the first item is the target, and all images of the others move', () => {
    const found = extract('66.1', {
      RegistrationSequence: [
        { ReferencedImageSequence: [item('2.25.10'), item('2.25.11')] },
        { ReferencedImageSequence: [item('2.25.12'), item('2.25.13')] },
      ],
      ReferencedSeriesSequence: [series('2.25.8', item('2.25.10'))],
    });

    expect(pairs(found)).toEqual([
      ['registered_target', '2.25.10'],
      ['registered_target', '2.25.11'],
      ['moving_source', '2.25.12'],
      ['moving_source', '2.25.13'],
    ]);
    expect(found.list[0]?.seriesInstanceUid).toBe('2.25.8');
  });
});

function image(uid: string, concept?: string, sopClassUid = CT): DataSetInput {
  return {
    ValueType: 'IMAGE',
    ...(concept !== undefined && { ConceptNameCodeSequence: code(concept) }),
    ReferencedSOPSequence: [item(uid, {}, sopClassUid)],
  };
}

describe('a report', () => {
  test('tells measured images, segments and their sources apart', () => {
    const found = extract('88.34', {
      ContentSequence: [
        image('2.25.20'),
        {
          ValueType: 'CONTAINER',
          ConceptNameCodeSequence: code('125007'),
          ContentSequence: [
            image('2.25.21', '121191', SEG),
            image('2.25.22', '121233'),
            { ValueType: 'NUM', ContentSequence: [{ ValueType: 'SCOORD', ContentSequence: [image('2.25.23')] }] },
          ],
        },
      ],
    });

    expect(pairs(found)).toEqual([
      ['source_image', '2.25.20'],
      ['referenced_segment', '2.25.21'],
      ['source_image_for_segmentation', '2.25.22'],
      ['source_of_measurement', '2.25.23'],
    ]);
  });

  test('its evidence tells the series, and speaks itself only for what the content does not name', () => {
    const found = extract('88.33', {
      ContentSequence: [image('2.25.20')],
      CurrentRequestedProcedureEvidenceSequence: [
        {
          ReferencedSeriesSequence: [
            { SeriesInstanceUID: '2.25.8', ReferencedSOPSequence: [item('2.25.20'), item('2.25.21')] },
          ],
        },
      ],
    });

    expect(pairs(found)).toEqual([
      ['source_image', '2.25.20'],
      ['source_image', '2.25.21'],
    ]);
    expect(found.list[0]?.seriesInstanceUid).toBe('2.25.8');
  });

  test('of key objects segmentations are told from images, and presentation states are neither', () => {
    const found = extract('88.59', {
      ContentSequence: [
        image('2.25.30', undefined, SEG),
        {
          ValueType: 'IMAGE',
          ReferencedSOPSequence: [item('2.25.31', { ReferencedSOPSequence: [item('2.25.32', {}, `${STORAGE}11.1`)] })],
        },
      ],
    });

    expect(pairs(found)).toEqual([
      ['key_object_segmentation', '2.25.30'],
      ['source_image', '2.25.31'],
      ['unknown', '2.25.32'],
    ]);
  });
});

test('frame and segment numbers are those of the item, as declared; what is no number is left out', () => {
  const bad = { ReferencedFrameNumber: { vr: 'IS', value: Buffer.from('bad\\3 ') }, ReferencedSegmentNumber: [2, 5] };

  const { list } = extract('66.4', {
    SourceImageSequence: [item('2.25.9', bad), item('2.25.9', { ReferencedFrameNumber: [4, 1] })],
  });

  expect(list.map(({ frameNumbers, segmentNumbers }) => ({ frameNumbers, segmentNumbers }))).toEqual([
    { frameNumbers: [3], segmentNumbers: [2, 5] },
    { frameNumbers: [4, 1], segmentNumbers: [] },
  ]);
});

test.each([['0 '], ['1.5 '], ['a '], ['bad\\1.5 ']])(
  'frame number %s leaves a 0 in the list, because an empty list would mean all frames',
  (text) => {
    const numbers = { ReferencedFrameNumber: { vr: 'IS', value: Buffer.from(text) } };
    const { list } = extract('66.4', { SourceImageSequence: [item('2.25.9', numbers)] });

    expect(list.map(({ frameNumbers }) => frameNumbers)).toEqual([[0]]);
  },
);

test('the same declaration is listed once, however often the object makes it', () => {
  const contours = Array.from({ length: 50 }, () => ({ ContourImageSequence: [item('2.25.9')] }));

  expect(extract('481.3', { ROIContourSequence: [{ ContourSequence: contours }] }).list).toHaveLength(1);
});

test('a series without instances is a reference to the series', () => {
  const { list } = extract('66.4', { ReferencedSeriesSequence: [{ SeriesInstanceUID: '2.25.8' }] });

  expect(list).toEqual([
    {
      relationship: 'source_image_for_segmentation',
      sopClassUid: undefined,
      sopInstanceUid: undefined,
      seriesInstanceUid: '2.25.8',
      frameNumbers: [],
      segmentNumbers: [],
    },
  ]);
});

function nest(levels: number): DataSetInput {
  let inner: DataSetInput = { ReferencedImageSequence: [item('2.25.9')] };
  for (let i = 1; i < levels; i++) inner = { ContentSequence: [inner] };
  return inner;
}

describe('the limits', () => {
  test('a reference on the sixteenth level is found, one below it is not', () => {
    expect(extract('2', nest(16))).toMatchObject({ list: [{ sopInstanceUid: '2.25.9' }], truncated: false });
    expect(extract('2', nest(17))).toMatchObject({ list: [], truncated: true });
  });

  test('a sequence is looked at up to its 4,096th item', () => {
    const images = Array.from({ length: REFERENCE_LIMITS.itemsPerSequence + 3 }, (_, i) => item(`2.25.${i + 1}`));

    const { list, truncated } = extract('66.4', { SourceImageSequence: images });

    expect(list).toHaveLength(4096);
    expect(truncated).toBe(true);
  });
});
