import type { AuditCode, AuditLevel, AuditName } from '../../src/shared/contract/audits.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { writeBelow } from './tempFolder.ts';

/** A finding as tests compare it. */
export type PlantedFinding = {
  readonly audit: AuditName;
  readonly level: AuditLevel;
  readonly code: AuditCode;
  /** The id of its unit. */
  readonly id: string;
  readonly count: number;
};

const UID = '1.2.826.0.1.3680043.10.2041';
const STUDIES = 12;
const MR = '1.2.840.10008.5.1.4.1.1.4';
const CT = '1.2.840.10008.5.1.4.1.1.2';
const SECONDARY_CAPTURE = '1.2.840.10008.5.1.4.1.1.7';
const PATIENT = { PatientName: 'Quimby^Marjorie', PatientID: 'MRN-48213' };

type Expectation = readonly [code: AuditCode, id: string];

type Planted = {
  readonly study: number;
  readonly series: number;
  readonly description: string;
  /** What each file has besides what all files have; its name is that of its number. */
  readonly files: readonly DataSetInput[];
  /** Identifying places in each of the files. */
  readonly places?: readonly (readonly Expectation[])[];
  readonly names?: readonly string[];
};

/**
 * Writes 51 series of 12 studies with known gaps, copies, deviations and identifiers in 40 places, and returns every finding
 * that audits of it must have: no more and no less.
 */
export function writePlantedCohort(folder: string): {
  readonly findings: readonly PlantedFinding[];
  readonly files: number;
} {
  const planted = [...listProtocols(), ...GEOMETRY, ...INCOMPLETE, ...CAPTURES, ...PIXEL_COPIES, ...IDENTIFIERS];
  const counts = new Map<string, number>();
  const expect = (code: AuditCode, id: string) => {
    const key = `${code}\n${id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  };
  let files = 0;
  const add = (name: string, bytes: Uint8Array, places: readonly Expectation[]) => {
    writeBelow(folder, name, bytes);
    files += 1;
    for (const [code, id] of [...IN_ALL, ...places]) expect(code, id);
  };
  let pixels = 0;
  for (const one of planted) {
    for (const [at, more] of one.files.entries()) {
      pixels += 1;
      const name = `study ${one.study}/${one.series}/${one.names?.[at] ?? `${at + 1}.dcm`}`;
      const bytes = writeDicom({ ...imageElements(one, at + 1, pixels), ...more });
      const places = [...(one.places?.[at] ?? [])];
      if (!('FrameOfReferenceUID' in more)) places.push(['identifier_uid', '(0020,0052)']);
      add(name, bytes, places);
    }
  }
  const chest = (study: number) => planted.find((one) => one.study === study && one.series === 2)!;
  const frame: Expectation = ['identifier_uid', '(0020,0052)'];
  // The same bytes in another folder, and another image under the same UID.
  add('copies/1.dcm', writeDicom({ ...imageElements(chest(1), 1, COPIED_PIXELS), ...chest(1).files[0] }), [frame]);
  add('study 2/2/again.dcm', writeDicom({ ...imageElements(chest(2), 1, 999), ...chest(2).files[0] }), [frame]);
  const identifiers = Array.from(counts, ([key, count]): PlantedFinding => {
    const [code = '', id = ''] = key.split('\n');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it was put there above
    return { audit: 'identifiers', level: LEVELS[code] ?? 'warning', code: code as AuditCode, id, count };
  });
  return { findings: [...OTHERS, ...identifiers], files };
}

const LEVELS: Readonly<Record<string, AuditLevel>> = {
  identifier_uid: 'info',
  identifier_in_text: 'error',
  identity_removed_contradicted: 'error',
};

/** UIDs of the instance, also in the meta information, of study and series; description and patient. */
const IN_ALL: readonly Expectation[] = [
  ['identifier_uid', '(0002,0003)'],
  ['identifier_uid', '(0008,0018)'],
  ['identifier_uid', '(0020,000D)'],
  ['identifier_uid', '(0020,000E)'],
  ['identifier_element', '(0008,103E)'],
  ['identifier_element', '(0010,0020)'],
];

/** An element that is not written. */
const NONE = undefined;

const seriesUid = (study: number, series: number) => `${UID}.${study}.${series}`;
const seriesId = (study: number, series: number) => `${UID}.${study}/${seriesUid(study, series)}`;
const z = (mm: number): DataSetInput => ({ ImagePositionPatient: ['0', '0', String(mm)] });

/** An image of 4 x 4 pixels, 2 mm above the one before. `pixels` is different for different samples. */
function imageElements({ study, series, description }: Planted, number: number, pixels: number): DataSetInput {
  return {
    SOPClassUID: CT,
    SOPInstanceUID: `${seriesUid(study, series)}.${number}`,
    StudyInstanceUID: `${UID}.${study}`,
    SeriesInstanceUID: seriesUid(study, series),
    FrameOfReferenceUID: `${UID}.${study}.0`,
    Modality: 'CT',
    Manufacturer: 'Acme',
    ManufacturerModelName: 'M1',
    SeriesDescription: description,
    SeriesNumber: String(series),
    InstanceNumber: String(number),
    // Too short to be looked for in other texts.
    PatientID: `C${study}`,
    ImageOrientationPatient: ['1', '0', '0', '0', '1', '0'],
    ...z(2 * (number - 1)),
    PixelSpacing: ['1', '1'],
    SliceThickness: '2',
    SamplesPerPixel: 1,
    PhotometricInterpretation: 'MONOCHROME2',
    Rows: 4,
    Columns: 4,
    BitsAllocated: 16,
    BitsStored: 12,
    HighBit: 11,
    PixelRepresentation: 0,
    PixelData: Uint16Array.from({ length: 16 }, (_, at) => (at === 0 ? pixels : at)),
  };
}

/** The first image of the first series CHEST. */
const COPIED_PIXELS = 4;

/** Three images of a series of one protocol. */
const three = (more: DataSetInput) => [more, more, more];

/** AX T1 in all studies, with deviations in some; CHEST in all but the seventh. */
function listProtocols(): Planted[] {
  const t1 = { SOPClassUID: MR, Modality: 'MR', RepetitionTime: '500', EchoTime: '10', FlipAngle: '90' };
  const different: Readonly<Record<number, DataSetInput>> = {
    3: { RepetitionTime: '520' },
    5: { FlipAngle: '70' },
    6: { FlipAngle: '70' },
    8: { EchoTime: NONE },
    10: { PixelSpacing: ['0.9', '0.9'] },
    // 0.04 % is rounding.
    11: { RepetitionTime: '500.2' },
  };
  return Array.from({ length: STUDIES }, (_, at) => at + 1).flatMap((study): Planted[] => {
    const kernel = { KVP: '120', ConvolutionKernel: study === 4 ? 'B70' : 'B30' };
    const head = { study, series: 1, description: 'AX T1', files: three({ ...t1, ...different[study] }) };
    const chest = { study, series: 2, description: 'CHEST', files: three(kernel) };
    return study === 7 ? [head] : [head, chest];
  });
}

/** `count` images in places that the function gives, counted from 0. */
const images = (count: number, toElements: (at: number) => DataSetInput) =>
  Array.from({ length: count }, (_, at) => toElements(at));

const rotated = (Math.PI * 5) / 180;
const digits = (numbers: readonly number[]) => numbers.map((number) => number.toFixed(9));

/** The positions of a stack whose slices are sheared by 10 degrees along y. */
const sheared = (at: number): DataSetInput => ({
  ImagePositionPatient: digits([0, 2 * at * Math.tan(Math.PI / 18), 2 * at]),
});

const GEOMETRY: readonly Planted[] = [
  // 6 and 8 mm are left out.
  { study: 1, series: 11, description: 'hole', files: [0, 2, 4, 10, 12, 14].map(z) },
  // 4 and 10 mm are left out, and the numbers of the images say so.
  {
    study: 2,
    series: 12,
    description: 'two holes',
    files: [0, 1, 3, 4, 6, 7].map((step) => ({ ...z(2 * step), InstanceNumber: String(step + 1) })),
  },
  { study: 3, series: 13, description: 'doubled', files: [0, 2, 4, 4, 6, 8].map(z) },
  // One of five distances is 1 mm.
  { study: 4, series: 14, description: 'uneven', files: [0, 2, 4, 5, 7, 9].map(z) },
  // The third of six slices is rotated by 5 degrees in its plane.
  {
    study: 5,
    series: 15,
    description: 'rotated',
    files: images(6, (at) =>
      at === 2
        ? {
            ImageOrientationPatient: digits([
              Math.cos(rotated),
              Math.sin(rotated),
              0,
              -Math.sin(rotated),
              Math.cos(rotated),
              0,
            ]),
          }
        : {},
    ),
  },
  { study: 6, series: 16, description: 'sheared', files: images(6, sheared) },
  { study: 7, series: 17, description: 'overlapping', files: images(6, () => ({ SliceThickness: '3' })) },
  // Five frames are declared, and there is data for three.
  {
    study: 8,
    series: 18,
    description: 'cut',
    files: [
      {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.20',
        Modality: 'NM',
        NumberOfFrames: '5',
        PixelData: Uint16Array.from({ length: 48 }, (_, at) => at),
      },
    ],
  },
  {
    study: 9,
    series: 19,
    description: 'one without position',
    files: images(6, (at) => (at === 5 ? { ImagePositionPatient: NONE } : {})),
  },
  { study: 10, series: 20, description: 'without positions', files: three({ ImagePositionPatient: NONE }) },
  { study: 11, series: 21, description: 'lost files', files: images(6, () => ({ ImagesInAcquisition: '8' })) },
  // Three times of three slices, of which the last one is not there.
  {
    study: 12,
    series: 22,
    description: 'times',
    files: images(8, (at) => ({ ...z(2 * (at % 3)), TemporalPositionIdentifier: String(1 + Math.floor(at / 3)) })),
  },
];

/** What is no image. */
const OBJECT: DataSetInput = Object.fromEntries(
  [
    'FrameOfReferenceUID',
    'ImageOrientationPatient',
    'ImagePositionPatient',
    'PixelSpacing',
    'SliceThickness',
    'SamplesPerPixel',
    'PhotometricInterpretation',
    'Rows',
    'Columns',
    'BitsAllocated',
    'BitsStored',
    'HighBit',
    'PixelRepresentation',
    'PixelData',
  ].map((keyword) => [keyword, NONE]),
);

const instance = (number: number, sopClass = CT): DataSetInput => ({
  ReferencedSOPClassUID: sopClass,
  ReferencedSOPInstanceUID: `${UID}.404.${number}`,
});

const REFERENCED: Expectation = ['identifier_uid', '(0008,1155) in items'];
const IN_SERIES: Expectation = ['identifier_uid', '(0020,000E) in items'];
const RT_PLAN = '1.2.840.10008.5.1.4.1.1.481.5';

const INCOMPLETE: readonly Planted[] = [
  // Two images are not there, and one is.
  {
    study: 1,
    series: 31,
    description: 'mask',
    files: [
      {
        ...OBJECT,
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.66.4',
        Modality: 'SEG',
        ReferencedSeriesSequence: [
          {
            SeriesInstanceUID: seriesUid(1, 2),
            ReferencedInstanceSequence: [
              instance(1),
              instance(2),
              { ReferencedSOPClassUID: CT, ReferencedSOPInstanceUID: `${seriesUid(1, 2)}.1` },
            ],
          },
        ],
      },
    ],
    places: [[REFERENCED, IN_SERIES]],
  },
  {
    study: 2,
    series: 32,
    description: 'structures',
    files: [
      {
        ...OBJECT,
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.3',
        Modality: 'RTSTRUCT',
        ROIContourSequence: [
          {
            ReferencedROINumber: '1',
            ContourSequence: [
              {
                ContourGeometricType: 'POINT',
                NumberOfContourPoints: '1',
                ContourData: ['0', '0', '0'],
                ContourImageSequence: [instance(3)],
              },
            ],
          },
        ],
      },
    ],
    places: [[REFERENCED]],
  },
  // A dose names the second plan, and none the first one.
  {
    study: 3,
    series: 33,
    description: 'plans',
    files: [
      { ...OBJECT, SOPClassUID: RT_PLAN, Modality: 'RTPLAN' },
      { ...OBJECT, SOPClassUID: RT_PLAN, Modality: 'RTPLAN' },
    ],
  },
  {
    study: 3,
    series: 34,
    description: 'dose',
    files: [
      {
        ...OBJECT,
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.481.2',
        Modality: 'RTDOSE',
        ReferencedRTPlanSequence: [
          { ReferencedSOPClassUID: RT_PLAN, ReferencedSOPInstanceUID: `${seriesUid(3, 33)}.2` },
        ],
      },
    ],
    places: [[REFERENCED]],
  },
  // An image that was made of another one, which nobody has kept.
  {
    study: 4,
    series: 35,
    description: 'derived',
    files: [{ ImageType: ['DERIVED', 'PRIMARY', 'AXIAL'], SourceImageSequence: [instance(4)] }],
    places: [[REFERENCED, ['identifier_element', '(0008,2112)']]],
  },
];

const CAPTURES: readonly Planted[] = [
  {
    study: 5,
    series: 41,
    description: 'screen',
    files: three({ SOPClassUID: SECONDARY_CAPTURE, Modality: 'OT', BurnedInAnnotation: 'YES' }),
  },
  {
    study: 6,
    series: 42,
    description: 'echo',
    files: [
      {
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.6.1',
        Modality: 'US',
        SequenceOfUltrasoundRegions: [{ RegionFlags: 0 }],
      },
    ],
  },
  {
    study: 7,
    series: 43,
    description: 'film',
    files: [{ SOPClassUID: SECONDARY_CAPTURE, Modality: 'OT', BurnedInAnnotation: 'NO', ConversionType: 'DF' }],
  },
  {
    study: 8,
    series: 44,
    description: 'photograph',
    files: [{ SOPClassUID: '1.2.840.10008.5.1.4.1.1.77.1.4', Modality: 'XC' }],
  },
  // What says that nothing is in its pixels, and is of no kind that often has something.
  { study: 9, series: 45, description: 'plain', files: three({ BurnedInAnnotation: 'NO' }) },
];

const SAME_PIXELS = { PixelData: new Uint16Array(16).fill(77) };
const PIXEL_COPIES: readonly Planted[] = [
  { study: 10, series: 51, description: 'pixels', files: [SAME_PIXELS, SAME_PIXELS, {}] },
];

const CREATOR = { '00290010': { vr: 'LO', value: 'ACME 1.0' } };
const PRIVATE: Expectation = ['private_elements', '(0029,xxxx)'];

/** Each in one file: what is written, and what has to be found. */
const PLACES: readonly (readonly [DataSetInput, readonly Expectation[]])[] = [
  [{ InstitutionName: 'Hospital' }, [['identifier_element', '(0008,0080)']]],
  [{ InstitutionAddress: 'Street 1' }, [['identifier_element', '(0008,0081)']]],
  [{ ReferringPhysicianName: 'Smith^Ann' }, [['identifier_element', '(0008,0090)']]],
  [{ PerformingPhysicianName: 'Smith^Ann' }, [['identifier_element', '(0008,1050)']]],
  [{ OperatorsName: 'Smith^Ann' }, [['identifier_element', '(0008,1070)']]],
  [{ NameOfPhysiciansReadingStudy: 'Smith^Ann' }, [['identifier_element', '(0008,1060)']]],
  [
    { PatientBirthDate: '19500102', PatientIdentityRemoved: 'YES', DeidentificationMethod: 'none' },
    [
      ['identifier_date', '(0010,0030)'],
      ['identity_removed_contradicted', '(0012,0062)'],
    ],
  ],
  [{ PatientAddress: 'Street 2' }, [['identifier_element', '(0010,1040)']]],
  [{ PatientTelephoneNumbers: '555 1234' }, [['identifier_element', '(0010,2154)']]],
  [{ OtherPatientIDs: 'OLD-777' }, [['identifier_element', '(0010,1000)']]],
  [{ AccessionNumber: 'A1' }, [['identifier_element', '(0008,0050)']]],
  [{ StudyID: 'S1' }, [['identifier_element', '(0020,0010)']]],
  [{ StationName: 'CT5' }, [['identifier_element', '(0008,1010)']]],
  [{ DeviceSerialNumber: '4711' }, [['identifier_element', '(0018,1000)']]],
  [{ ProtocolName: 'Head' }, [['identifier_element', '(0018,1030)']]],
  [
    { ImageComments: 'seen with Mrs Quimby' },
    [
      ['identifier_element', '(0020,4000)'],
      ['identifier_in_text', '(0020,4000)'],
    ],
  ],
  [{ PatientComments: 'fell' }, [['identifier_element', '(0010,4000)']]],
  [{ StudyDate: '20240131' }, [['identifier_date', '(0008,0020)']]],
  [{ ContentTime: '101112' }, [['identifier_date', '(0008,0033)']]],
  [{ AcquisitionDateTime: '20240131101112' }, [['identifier_date', '(0008,002A)']]],
  [{ RequestingPhysician: 'Smith^Ann' }, [['identifier_element', '(0032,1032)']]],
  [{ MilitaryRank: 'Captain' }, [['identifier_element', '(0010,1080)']]],
  [{ Occupation: 'Baker' }, [['identifier_element', '(0010,2180)']]],
  [{ StudyDescription: 'Head' }, [['identifier_element', '(0008,1030)']]],
  [{ StorageMediaFileSetUID: `${UID}.5` }, [['identifier_uid', '(0088,0140)']]],
  [
    { RequestAttributesSequence: [{ ScheduledProcedureStepDescription: 'Head' }] },
    [
      ['identifier_element', '(0040,0275)'],
      ['identifier_element', '(0040,0007) in items'],
    ],
  ],
  [
    { OtherPatientIDsSequence: [{ PatientID: 'OLD-888' }] },
    [
      ['identifier_element', '(0010,1002)'],
      ['identifier_element', '(0010,0020) in items'],
    ],
  ],
  [
    { ContentSequence: [{ ValueType: 'PNAME', PersonName: 'Smith^Ann' }] },
    [
      ['identifier_element', '(0040,A730)'],
      ['identifier_element', '(0040,A123) in items'],
    ],
  ],
  [{ ReferencedImageSequence: [instance(5)] }, [['identifier_element', '(0008,1140)'], REFERENCED]],
  [
    { AcquisitionContextSequence: [{ ValueType: 'PNAME', PersonName: 'Jones^Bob' }] },
    [
      ['identifier_element', '(0040,0555)'],
      ['identifier_element', '(0040,A123) in items'],
    ],
  ],
  [
    { ...CREATOR, '00291010': { vr: 'LO', value: 'Quimby M' } },
    [PRIVATE, ['identifier_in_text', '(0029,xx10)@ACME 1.0']],
  ],
  [
    { ...CREATOR, '00291011': { vr: 'UN', value: new TextEncoder().encode('\0\u0001Quimby\0\0') } },
    [PRIVATE, ['identifier_in_text', '(0029,xx11)@ACME 1.0']],
  ],
  [
    { ...CREATOR, '00291012': { vr: 'SQ', value: [{ PatientName: 'Quimby^Marjorie' }] } },
    [PRIVATE, ['identifier_element', '(0010,0010) in items']],
  ],
  [
    { AnatomicRegionSequence: [{ ...CREATOR, '00291010': { vr: 'LO', value: 'MRN-48213 left' } }] },
    [PRIVATE, ['identifier_in_text', '(0029,xx10)@ACME 1.0 in items']],
  ],
  [{ SeriesDescription: 'Head of Quimby' }, [['identifier_in_text', '(0008,103E)']]],
  [
    { RequestAttributesSequence: [{ ScheduledProcedureStepDescription: 'MRN-48213 again' }] },
    [
      ['identifier_element', '(0040,0275)'],
      ['identifier_element', '(0040,0007) in items'],
      ['identifier_in_text', '(0040,0007) in items'],
    ],
  ],
  [
    {
      OverlayRows: 4,
      OverlayColumns: 4,
      OverlayType: 'G',
      OverlayOrigin: [1, 1],
      OverlayBitsAllocated: 1,
      OverlayBitPosition: 0,
      OverlayData: new Uint8Array(2),
    },
    [['overlay_planes', '(60xx,3000)']],
  ],
  [
    { IconImageSequence: [{ Rows: 1, Columns: 1 }] },
    [
      ['icon_image', '(0088,0200)'],
      ['identifier_element', '(0088,0200)'],
    ],
  ],
  [{ EvaluatorName: 'Smith^Ann' }, [['identifier_name', '(0014,2006)']]],
  // In the name of the file.
  [{}, [['identifier_in_path', 'paths']]],
];

const IN_SERIES_OF_TEN = 10;

const IDENTIFIERS: readonly Planted[] = [
  ...[0, 1, 2, 3].map((at): Planted => {
    const some = PLACES.slice(at * IN_SERIES_OF_TEN, (at + 1) * IN_SERIES_OF_TEN);
    const named: Expectation = ['identifier_element', '(0010,0010)'];
    return {
      study: 11,
      series: 61 + at,
      description: `identifiers ${at + 1}`,
      files: some.map(([elements]) => ({ ...PATIENT, ...elements })),
      places: some.map(([, expected]) => [named, ...expected]),
      names: some.map((_, file) => (at === 3 && file === IN_SERIES_OF_TEN - 1 ? 'Quimby.dcm' : `${file + 1}.dcm`)),
    };
  }),
  {
    study: 12,
    series: 65,
    description: 'letter',
    files: [
      {
        ...OBJECT,
        SOPClassUID: '1.2.840.10008.5.1.4.1.1.104.1',
        Modality: 'DOC',
        MIMETypeOfEncapsulatedDocument: 'application/pdf',
        EncapsulatedDocument: new TextEncoder().encode('%PDF-1.4\n'),
      },
    ],
    places: [
      [
        ['embedded_document', '(0042,0011)'],
        ['identifier_element', '(0042,0011)'],
      ],
    ],
  },
];

const finding = (
  audit: AuditName,
  level: AuditLevel,
  code: AuditCode,
  [id, count]: readonly [id: string, count: number],
): PlantedFinding => ({ audit, level, code, id, count });

const path = (study: number, series: number, name = '1.dcm') => `study ${study}/${series}/${name}`;
const T1 = 'Acme · M1 · AX T1';

/** All but those of identifiers. The ids of files are paths below the folder. */
const OTHERS: readonly PlantedFinding[] = [
  finding('geometry', 'error', 'slice_missing', [seriesId(1, 11), 2]),
  finding('geometry', 'error', 'slice_missing', [seriesId(2, 12), 2]),
  finding('geometry', 'warning', 'slice_duplicate', [seriesId(3, 13), 2]),
  finding('geometry', 'warning', 'spacing_varies', [seriesId(4, 14), 1]),
  finding('geometry', 'warning', 'orientation_varies', [seriesId(5, 15), 1]),
  finding('geometry', 'info', 'gantry_tilt', [seriesId(6, 16), 6]),
  finding('geometry', 'info', 'thickness_not_spacing', [seriesId(7, 17), 1]),
  finding('geometry', 'error', 'frame_count_differs', [path(8, 18), 2]),
  finding('geometry', 'warning', 'position_missing', [seriesId(9, 19), 1]),
  finding('geometry', 'warning', 'position_missing', [seriesId(10, 20), 3]),
  finding('geometry', 'warning', 'files_declared_missing', [seriesId(11, 21), 2]),
  // The two images of the place that lacks one.
  finding('geometry', 'warning', 'place_incomplete', [seriesId(12, 22), 2]),
  // The copies are in the places of the images that they are copies of.
  finding('geometry', 'warning', 'slice_duplicate', [seriesId(1, 2), 2]),
  finding('geometry', 'warning', 'slice_duplicate', [seriesId(2, 2), 2]),
  finding('protocol', 'warning', 'protocol_deviates', [`${T1} · RepetitionTime`, 1]),
  finding('protocol', 'warning', 'protocol_deviates', [`${T1} · EchoTime`, 1]),
  finding('protocol', 'warning', 'protocol_deviates', [`${T1} · FlipAngle`, 2]),
  finding('protocol', 'warning', 'protocol_deviates', [`${T1} · PixelSpacing`, 1]),
  finding('protocol', 'warning', 'protocol_deviates', ['Acme · M1 · CHEST · ConvolutionKernel', 1]),
  finding('duplicates', 'warning', 'duplicate_file', [seriesId(1, 2), 2]),
  finding('duplicates', 'error', 'duplicate_uid', [seriesId(2, 2), 2]),
  finding('duplicates', 'info', 'series_in_folders', [seriesId(1, 2), 2]),
  finding('duplicates', 'warning', 'duplicate_pixels', [seriesId(10, 51), 2]),
  finding('completeness', 'warning', 'reference_missing', [path(1, 31), 2]),
  finding('completeness', 'warning', 'reference_missing', [path(2, 32), 1]),
  finding('completeness', 'info', 'reference_missing', [path(4, 35), 1]),
  finding('completeness', 'info', 'plan_without_dose', [path(3, 33), 1]),
  finding('completeness', 'warning', 'series_missing', ['CT · CHEST', 1]),
  finding('burned-in', 'warning', 'burned_in_likely', [seriesId(5, 41), 3]),
  finding('burned-in', 'warning', 'burned_in_likely', [seriesId(6, 42), 1]),
  finding('burned-in', 'info', 'burned_in_possible', [seriesId(7, 43), 1]),
  finding('burned-in', 'info', 'burned_in_possible', [seriesId(8, 44), 1]),
];
