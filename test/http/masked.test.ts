import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AttachmentsResponse } from '../../src/shared/contract/attachments.ts';
import { ENDPOINT_NAMES, type EndpointName, ENDPOINTS, type Endpoint } from '../../src/shared/contract/endpoints.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import { numberOfLayer } from '../../src/shared/layerRef.ts';
import type { MarkJournalResponse } from '../../src/shared/contract/marks.ts';
import type { MarkImportFormat } from '../../src/shared/markFormats.ts';
import { nameJournal } from '../../src/server/work/journal/journalFile.ts';
import type { DataSetInput } from '../../src/server/standard/dicom/dataSetInput.ts';
import { findTag } from '../../src/server/standard/dicom/dictionary.ts';
import { writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { findMasker, setMaskKey } from '../../src/server/bytes/masking/masker.ts';
import { redact } from '../../src/server/bytes/origins/origins.ts';
import { parseElementPath } from '../../src/server/standard/dicom/elementPath.ts';
import { harvest } from '../support/askTable.ts';
import { ctElements } from '../support/ctElements.ts';
import { writeNifti, writeNpy, writeNpz, writeNrrd } from '../support/arrayFiles.ts';
import { EVERY_REQUEST, optionsOfRequest, writeEveryFile } from '../support/everyEndpoint.ts';
import { serveFakeAssistant } from '../support/fakeAssistant.ts';
import { createLeakSearch } from '../support/leakSearch.ts';
import { about, ask, type Asked, listMasked, NUMBERED, variantsOf, withParameter } from '../support/maskedAnswers.ts';
import { AXIAL, FRAME_OF_REFERENCE, segmentationElements } from '../support/placedElements.ts';
import { pretendPage } from '../support/pretendPage.ts';
import { reportElements } from '../support/regionElements.ts';
import { reviewSettings } from '../support/reviewSettings.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';
import { circle, structureSetElements } from '../support/structureSetElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';
import { writeZip } from '../support/writeArchive.ts';

const STUDY_DATE = '20190307';
const BIRTH_DATE = '19310214';

/** Elements of the basic profile, private ones, unknown ones and ones with a wrong VR. */
const PLANTED: DataSetInput = {
  PatientName: 'ZZFAMILYZZ^ZZGIVENZZ=ZZIDEOZZ',
  PatientID: 'ZZPID77ZZ',
  PatientBirthDate: BIRTH_DATE,
  PatientAge: '095Y',
  OtherPatientIDs: ['ZZOTHER1ZZ', 'ZZOTHER2ZZ'],
  PatientComments: 'ZZCOMMENTZZ',
  PatientAddress: 'ZZSTREETZZ',
  ReferringPhysicianName: 'ZZREFERRERZZ^A',
  OperatorsName: ['ZZOPERATORZZ'],
  InstitutionName: 'ZZHOSPITALZZ',
  StationName: 'ZZSTATIONZZ',
  AccessionNumber: 'ZZACCESSIONZZ',
  StudyID: 'ZZSTUDYIDZZ',
  StudyDescription: 'CT of ZZFAMILYZZ',
  SeriesDescription: 'Thorax ZZFAMILYZZ',
  ProtocolName: 'ZZPROTOCOLZZ',
  ImageComments: 'ZZIMAGECOMMENTZZ',
  StudyDate: STUDY_DATE,
  SeriesDate: STUDY_DATE,
  AcquisitionDateTime: `${STUDY_DATE}101112.5`,
  DeviceSerialNumber: 'ZZSERIALZZ',
  RequestAttributesSequence: [{ ScheduledProcedureStepDescription: 'ZZSTEPZZ', RequestedProcedureID: 'ZZREQZZ' }],
  OriginalAttributesSequence: [{ ModifiedAttributesSequence: [{ PatientName: 'ZZOLDNAMEZZ' }] }],
  // Not in the profile, but of a VR that holds names, free text or the names of machines.
  ScheduledPerformingPhysicianName: 'ZZSCHEDULEDZZ',
  RetrieveAETitle: 'ZZAETITLEZZ',
  RetrieveURL: 'https://zzhostzz.example/ZZWADOZZ',
  // Not in the profile: texts that someone has typed.
  ContentDescription: 'ZZCONTENTTEXTZZ',
  RTImageName: 'ZZIMAGENAMEZZ',
  RadiationMachineName: 'ZZMACHINEZZ',
  RTImageLabel: 'ZZIMAGELABELZZ',
  // Below the root of the standard, but not registered.
  IrradiationEventUID: '1.2.840.10008.5.1.4.1.1.481.5.17220110510142233',
  // Text where the dictionary has a number, and where a number is to be.
  '00201002': { vr: 'IS', value: new TextEncoder().encode('ZZNUMBERZZ') },
  '00280107': { vr: 'LO', value: 'ZZWRONGVRZZ' },
  '00090010': { vr: 'LO', value: 'ZZCREATORZZ' },
  '00091001': { vr: 'UN', value: new TextEncoder().encode('ZZPRIVATEZZ ') },
  '00091002': { vr: 'SQ', value: [{ PatientName: 'ZZINPRIVATEZZ' }] },
  '00081199': { vr: 'LO', value: 'ZZNOSEQUENCEZZ' },
  // Unknown to the dictionary.
  '00080ff0': { vr: 'LO', value: 'ZZUNKNOWNZZ' },
  '00101001': { vr: 'UN', value: new TextEncoder().encode('ZZUNNAMEZZ') },
  '60003000': { vr: 'OW', value: new TextEncoder().encode('ZZOVERLAYZZ ') },
  // Longer than what is masked by its content: numbers that are none, as their VR and as bytes, and texts.
  '00181100': { vr: 'UN', value: writeLong('ZZLONGDSZZ') },
  '00181151': { vr: 'UN', value: writeLong('ZZLONGISZZ') },
  '00181271': { vr: 'OB', value: writeLong('ZZLONGBYTESZZ') },
  '00181114': { vr: 'OB', value: writeLong('ZZLONGFACTORZZ') },
  '00081060': { vr: 'UN', value: writeLong('ZZLONGNAMEZZ') },
  '00080081': { vr: 'UN', value: writeLong('ZZLONGADDRESSZZ') },
  '00081040': { vr: 'UN', value: writeLong('ZZLONGSTATIONZZ') },
  '0040e010': { vr: 'UR', value: Buffer.from(writeLong('ZZLONGURLZZ')).toString('latin1').trim() },
  '00209158': { vr: 'LT', value: 'ZZFRAMECOMMENTZZ' },
  IconImageSequence: [
    {
      SamplesPerPixel: 1,
      PhotometricInterpretation: 'MONOCHROME2',
      Rows: 2,
      Columns: 8,
      BitsAllocated: 8,
      BitsStored: 8,
      HighBit: 7,
      PixelRepresentation: 0,
      PixelData: { vr: 'OB', value: new TextEncoder().encode('ZZICONPIXELSZZZZ') },
    },
  ],
};

/** Over 64 KiB of digits, with a text at both ends and in the middle. */
function writeLong(text: string): Uint8Array {
  return new TextEncoder().encode([text, '1\\2'.repeat(12_000), text, '1\\2'.repeat(12_000), text].join('\\'));
}

/** A segmentation and a structure set whose names say whose they are. */
function writeTellingParts(): Uint8Array[] {
  const frames = [{ samples: [0, 1, 1, 0], plane: { ...AXIAL, position: [0, 3, 0] } }];
  const segmentation = {
    ...segmentationElements({ rows: 2, columns: 2, type: 'BINARY', frames }),
    ...PLANTED,
    SOPInstanceUID: '2.25.9003',
    SegmentSequence: [
      {
        SegmentNumber: 1,
        SegmentLabel: 'ZZSEGMENTLABELZZ',
        SegmentDescription: 'ZZSEGMENTDESCRIPTIONZZ',
        SegmentAlgorithmType: 'MANUAL',
        TrackingID: 'ZZTRACKINGZZ',
        '00090010': { vr: 'LO', value: 'ZZSEGMENTCREATORZZ' },
        '00091001': { vr: 'LO', value: 'ZZSEGMENTPRIVATEZZ' },
      },
    ],
  };
  const contours = [
    { points: circle([0, 0, 0], 4), different: { ContourData: { vr: 'UN', value: writeLong('ZZCONTOURZZ') } } },
  ];
  const different = { ROIDescription: 'ZZROIDESCRIPTIONZZ', ROIGenerationDescription: 'ZZGENERATIONZZ' };
  const structures = structureSetElements([{ number: 1, name: 'ZZROINAMEZZ', contours, different }], {
    ...PLANTED,
    SOPInstanceUID: '2.25.9004',
    StructureSetLabel: 'ZZSETLABELZZ',
    StructureSetName: 'ZZSTRUCTURENAMEZZ',
    StructureSetDescription: 'ZZSTRUCTURETEXTZZ',
    RTROIObservationsSequence: [
      {
        ObservationNumber: '0',
        ReferencedROINumber: '1',
        ROIObservationLabel: 'ZZOBSLABELZZ',
        ROIObservationDescription: 'ZZOBSERVEDZZ',
        ROIInterpreter: 'ZZINTERPRETERZZ',
      },
    ],
  });
  return [writeDicom(segmentation), writeDicom(structures)];
}

const CODE = { CodeValue: '121106', CodingSchemeDesignator: 'DCM', CodeMeaning: 'Comment' };

function reportItem(valueType: string, value: DataSetInput): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: valueType,
    ConceptNameCodeSequence: [CODE],
    ...value,
  };
}

/** A report that says the name, in all ways in which a report has text. */
function writeTellingReport(): Uint8Array {
  const content = [
    reportItem('TEXT', { TextValue: 'The nodule of ZZREPORTTEXTZZ' }),
    reportItem('PNAME', { PersonName: 'ZZREPORTNAMEZZ' }),
    reportItem('DATE', { Date: STUDY_DATE }),
    reportItem('UIDREF', { UID: '2.25.424242' }),
  ];
  return writeDicom({ ...reportElements([]), ...PLANTED, SOPInstanceUID: '2.25.9001', ContentSequence: content });
}

function writeLabel(): Uint8Array {
  const elements = { ...slideElements(), ...PLANTED, ImageType: ['ORIGINAL', 'PRIMARY', 'LABEL', 'NONE'] };
  return writeDicom({ ...elements, SOPInstanceUID: '2.25.9002' });
}

/** Its own threads, because threads that run already do not know the key. */
async function serveMasked(
  inputs: readonly string[],
  options: Parameters<typeof serveWith>[0] = {},
  secret = 'a secret of this test',
) {
  setMaskKey(new TextEncoder().encode(secret));
  onTestFinished(() => setMaskKey(undefined));
  return serveWith({ inputs, memoryBytes: 512 * 2 ** 20, ...options });
}

async function listFiles(server: TestServer): Promise<FilesResponse> {
  return (await server.request('/api/files')).json();
}

/** Model output whose names and notes say who it is of, and some that cannot be read. */
function writeTellingArrays(folder: string): string[] {
  const array = writeNpy([2, 20, 30], new Uint8Array(1200).fill(1));
  const npz = writeNpz({ 'ZZARRAY1ZZ.npy': array, 'ZZARRAY2ZZ.npy': array, 'ZZPICKLEZZ.npy': Buffer.from('no') }, true);
  const fields = ['type: uint8', 'dimension: 3', 'sizes: 30 20 2', 'encoding: raw', 'content: ZZCONTENTZZ'];
  const pairs = ['Segment0_Name:=ZZSEGMENTZZ', 'Segment0_ID:=ZZSEGMENTIDZZ', 'Segment0_LabelValue:=1', 'who:=ZZPAIRZZ'];
  const tags = ['Segment0_Tags:=ZZTAGZZ:1|', 'Segment1_ID:=ZZONLYIDZZ', 'Segment1_LabelValue:=2'];
  const samples = new Uint8Array(1200).fill(1);
  const nrrd = writeNrrd([...fields, '# ZZNRRDCOMMENTZZ', ...pairs, ...tags], samples);
  const nifti = Buffer.from(writeNifti({ sizes: [30, 20, 2], samples }));
  // Description, auxiliary file, name of the intent, and the name of the data base of Analyze 7.5.
  nifti.write('ZZDESCRIPZZ', 148, 'latin1');
  nifti.write('ZZAUXZZ', 228, 'latin1');
  nifti.write('ZZINTENTZZ', 328, 'latin1');
  nifti.write('ZZDBNAMEZZ', 14, 'latin1');
  const unreadable = [
    writeNrrd(['type: ZZTYPEZZ', ...fields.slice(1)], samples),
    writeNrrd([...fields.slice(0, 3), 'encoding: ZZENCODINGZZ'], samples),
    writeNrrd([...fields, 'data file: ZZDATAFILEZZ.raw']),
    writeNrrd(fields.with(2, 'sizes: ZZSIZESZZ 20 2'), samples),
  ];
  return [
    writeBelow(folder, 'ZZFOLDERZZ/ZZLABELSZZ.npy', array),
    writeBelow(folder, 'ZZFOLDERZZ/ZZARRAYSZZ.npz', npz),
    writeBelow(
      folder,
      'ZZFOLDERZZ/ZZONEZZ.npz',
      writeNpz({ 'ZZLONELYZZ.npy': writeNpy([1], samples, { descr: 'ZZDTYPEZZ' }) }, false),
    ),
    writeBelow(folder, 'ZZFOLDERZZ/ZZSEGMENTSZZ.seg.nrrd', nrrd),
    writeBelow(folder, 'ZZFOLDERZZ/ZZVOLUMEZZ.nii', nifti),
    ...unreadable.map((bytes, n) => writeBelow(folder, `ZZFOLDERZZ/ZZBAD${n}ZZ.nrrd`, bytes)),
  ];
}

const json = (method: string, body: object): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

/** Marks of which every format can hold some, ROIs and redactions. */
async function edit(server: TestServer): Promise<void> {
  const outline = {
    kind: 'polygon',
    points: [
      [1, 1],
      [12, 1],
      [12, 9],
    ],
  };
  const [from, to] = [3, 4].map((file_index) => ({ file_index, frame_index: 0 }));
  const slices = [from, to].map((address) => ({ ...address, points: outline.points }));
  const boxes = { num_roi: 1, roi_coords: [[0, 0, 1, 1]], roi_frames: [] };
  const edits: [string, RequestInit][] = [
    [EVERY_REQUEST.createMark, optionsOfRequest('createMark')],
    [EVERY_REQUEST.createMark, optionsOfRequest('createMark')],
    [EVERY_REQUEST.createMark, json('POST', { ...outline, place: { type: 'frame', ...from } })],
    [
      EVERY_REQUEST.createMark,
      json('POST', { kind: 'polygon', points: [], place: { type: 'stack', from, to }, slices }),
    ],
    [
      EVERY_REQUEST.createMark,
      json('POST', { ...outline, place: { type: 'slide', file_index: 1, focal_plane_um: null } }),
    ],
    ['/api/file/3/annotations', json('PUT', boxes)],
    ['/api/file/4/redactions', json('PUT', boxes)],
  ];
  for (const [path, init] of edits) {
    const response = await server.request(path, init);
    expect([path, response.status, response.ok ? '' : await response.text()]).toEqual([path, 200, '']);
  }
}

/** Ends a run as if its process had ended, so that the next one takes over what it kept. */
async function abandon(server: TestServer, folder: string): Promise<void> {
  const sources = server.catalog.files.map(({ source }) => source);
  await server.close();
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.journal'))) {
    const [format = ''] = name.split('-');
    renameSync(join(folder, name), join(folder, nameJournal('nobody', { name: format })));
  }
  // Other servers of this process would still know them.
  redact(sources.map((source) => [source, []]));
}

test('no answer of a masked run contains a name, an id, a date, a UID or a path of the files', async () => {
  const files = [...writeEveryFile(PLANTED), ...writeTellingParts(), writeTellingReport(), writeLabel()];
  const folder = createTempFolder();
  const paths = files.map((file, i) => writeBelow(folder, `ZZFOLDERZZ/ZZPATIENT${i}ZZ.dcm`, file));
  const archive = writeZip([
    { name: 'ZZINZIPZZ/ZZMEMBERZZ.dcm', bytes: writeSlice({ number: 5, series: 9 }, PLANTED) },
  ]);
  const besides = [
    ...writeTellingArrays(folder),
    writeBelow(folder, 'ZZFOLDERZZ/ZZARCHIVEZZ.zip', archive),
    writeBelow(folder, 'ZZFOLDERZZ/ZZBROKENZZ.dcm', files[0]!.subarray(0, 300)),
    join(folder, 'ZZMISSINGZZ.dcm'),
  ];
  const state = join(folder, 'ZZSTATEZZ/negato');
  const kept = { journal: { folder: state, kept: 'offer' } } as const;
  const first = await serveMasked([...paths, ...besides], kept);
  await edit(first);
  await abandon(first, state);
  const review = reviewSettings({ paths: [join(folder, 'ZZVERDICTSZZ.jsonl')] });
  const assistant = await serveFakeAssistant();
  const server = await serveMasked([...paths, ...besides], { ...kept, review, assistants: [assistant.address] });
  await edit(server);
  await pretendPage(server);
  const { ticket }: { ticket: string } = await (
    await server.request(EVERY_REQUEST.issueTicket, { method: 'POST' })
  ).json();
  await expect.poll(async () => (await (await server.request('/api/marks/journal')).json()).kept?.marks).toBe(5);

  const masked = listMasked(files);
  expect(masked.length).toBeGreaterThan(60);
  const search = createLeakSearch([...masked, folder]);
  const { files: listed, discovery, attachments } = await listFiles(server);
  const space = findMasker()?.uid(FRAME_OF_REFERENCE) ?? '';
  const study = listed[3]?.study_instance_uid ?? '';
  const requests = ENDPOINT_NAMES.map((name) =>
    variantsOf(name).map((asked) => ({
      ...asked,
      path: asked.path.replace(FRAME_OF_REFERENCE, space).replace('format=sr', `format=sr&study=${study}`),
      ...((name === 'redeemTicket' || name === 'addAssistant') && { init: optionsOfRequest(name, ticket, assistant) }),
    })),
  );
  const reading = requests.flat().filter(({ init }) => init.method === 'GET');
  // What removes marks comes last.
  const changing = requests.flat().filter(({ init }) => init.method !== 'GET' && init.method !== 'DELETE');
  const removing = requests.flat().filter(({ init }) => init.method === 'DELETE');
  const plain = requests.flatMap(([asked]) => (asked?.init.method === 'GET' ? [asked] : []));
  const numbers: Readonly<Record<string, readonly number[]>> = {
    file: listed.map(({ index }) => index),
    layer: Array.from({ length: attachments + 4 }, (_, attachment) => numberOfLayer({ attachment })),
    attachment: Array.from({ length: attachments + 4 }, (_, n) => n),
    'not-shown': discovery.map((_, n) => n),
  };
  // Pictures of all files say no more than those of one.
  const everywhere = plain
    .filter(isText)
    .flatMap((asked) => (numbers[NUMBERED.exec(asked.path)?.[1] ?? ''] ?? []).map((number) => about(asked, number)));
  const wrong = plain.flatMap((asked) => [
    about(asked, 999_999),
    { ...asked, path: withParameter(asked.path, ['frame', 'x'], []) },
  ]);
  // The last file is in the archive, and the one before it is the label.
  const label = EVERY_REQUEST.displayFrame.replace('/file/0/', `/file/${listed.length - 2}/`);
  const page = [label, '/', '/index.html', '/api/nothing'].map((path) => ({
    name: 'page',
    path,
    init: { method: 'GET' },
  }));

  const selected = Object.keys(PLANTED).flatMap((keyword) => {
    const tag = (findTag(keyword) ?? parseInt(keyword, 16)).toString(16).padStart(8, '0');
    const path = `(${tag.slice(0, 4)},${tag.slice(4)})`;
    return [path, `${path}/0/(7fe0,0010)`].map((each) => ({
      name: 'tagSelect',
      path: `/api/file/0/tags/select?path=${each}`,
      init: { method: 'GET' },
    }));
  });

  const own = await ask(server, [...reading, ...(await listImports(server)), ...changing], search);
  const tables = await ask(server, await listTables(server), search);
  const others = await ask(server, [...everywhere, ...selected, ...wrong, ...page], search);
  const last = await ask(server, [...removing, ...plain], search);
  for (const [n, path] of paths.entries()) {
    if (n % 2 === 0) rmSync(path);
    else writeFileSync(path, files[n]!.subarray(0, 400));
  }
  const gone = await ask(server, plain, search);

  expect([own, tables, others, last, gone].flatMap(({ leaks }) => leaks)).toEqual([]);
  const refused = own.answers.filter(({ status }) => status === 403).map(({ name }) => name);
  expect(new Set(refused)).toEqual(new Set(ENDPOINT_NAMES.filter(isRefused)));
  // Every endpoint was asked for something that it has, in every format; but the profile removes Referenced Study Sequence,
  // and only images of PET have SUV.
  const failed = [...own.answers, ...tables.answers].filter(
    ({ path, status }) => ![200, 202, 403].includes(status) && !(status === 422 && path.endsWith('unit=SUVbw')),
  );
  expect(failed).toEqual([{ name: 'tagSelect', path: EVERY_REQUEST.tagSelect, status: 404 }]);
  expect(others.answers).toContainEqual({ name: 'page', path: label, status: 403 });
  expect(server.errors).toEqual([]);
  // What assistants are told is masked too.
  expect(assistant.questions.length).toBeGreaterThan(0);
  const told = [assistant.seen(), ...[...assistant.volumes.values()].map((bytes) => bytes.toString('latin1'))].join(
    '\n',
  );
  expect([...masked, folder].filter((text) => told.includes(text))).toEqual([]);
}, 300_000);

function isText({ name }: Asked): boolean {
  const endpoint: Endpoint | undefined = Object.entries(ENDPOINTS).find(([each]) => each === name)?.[1];
  return /json|text\/csv/.test(endpoint?.mediaType ?? '');
}

function isRefused(name: EndpointName): boolean {
  const { isUnmaskable }: Endpoint = ENDPOINTS[name];
  return isUnmaskable === true;
}

/** Tables with columns of everything that is planted, in every form whose text can be searched. */
async function listTables(server: TestServer): Promise<Asked[]> {
  const paths = Object.keys(PLANTED)
    .map((key) => key.replace(/^([\da-f]{4})([\da-f]{4})$/i, '($1,$2)'))
    .flatMap((path) => [path, `OriginalAttributesSequence[0].ModifiedAttributesSequence[*].${path}`])
    .filter((path) => parseElementPath(path).ok);
  const columns = await harvest(server, ...paths, 'RequestAttributesSequence[0].RequestedProcedureID');
  expect(columns.length).toBeGreaterThan(80);
  return ['table', 'table.csv', 'table.jsonl', 'table/summary'].flatMap((form) =>
    ['file', 'series', 'study'].map((level) => ({
      name: 'table',
      path: `/api/${form}?columns=*&level=${level}`,
      init: { method: 'GET' },
    })),
  );
}

/** Every format of marks that is read, as this run has written it. */
async function listImports(server: TestServer): Promise<Asked[]> {
  const written: Readonly<Record<MarkImportFormat, readonly [path: string, mediaType: string]>> = {
    json: ['/api/marks/export.json', 'application/json'],
    csv: ['/api/marks/export?format=csv', 'text/csv'],
    coco: ['/api/marks/export?format=coco', 'application/json'],
    geojson: ['/api/marks/export?format=geojson', 'application/json'],
    nifti: ['/api/file/3/volume/marks?format=nii', 'application/octet-stream'],
    nrrd: ['/api/file/3/volume/marks?format=nrrd', 'application/octet-stream'],
  };
  return Promise.all(
    Object.entries(written).map(async ([format, [from, mediaType]]) => ({
      name: 'importMarks',
      path: `/api/marks/import?format=${format}${from.startsWith('/api/file') ? '&file=3' : ''}`,
      init: {
        method: 'POST',
        body: await (await server.request(from)).arrayBuffer(),
        headers: { 'Content-Type': mediaType },
      },
    })),
  );
}

test('marks of a masked run are exported without the place, the size and the time of their files, and come back', async () => {
  const folder = createTempFolder();
  const inputs = [0, 1].map((number) => writeBelow(folder, `ZZ${number}ZZ/ZZA${number}ZZ.dcm`, writeSlice({ number })));
  const first = await serveMasked(inputs);
  await first.request('/api/marks', json('POST', { ...BOX, place: { type: 'frame', file_index: 1, frame_index: 0 } }));

  const exported: { marks: { files: object[] }[] } = await (await first.request('/api/marks/export.json')).json();

  const { files } = await listFiles(first);
  expect(exported.marks[0]?.files).toEqual([
    { path: files[1]?.path, sopInstanceUid: files[1]?.sop_instance_uid, rows: 20, columns: 30, frameCount: 1 },
  ]);
  await first.close();
  const read = async (server: TestServer) => {
    const imported = await (await server.request('/api/marks/import?format=json', json('POST', exported))).json();
    const { marks } = await (await server.request('/api/marks')).json();
    return { imported, places: marks.map(({ place }: { place: object }) => place) };
  };
  const place = { type: 'frame', file_index: 1, frame_index: 0 };
  // With the same key, by the masked UID. The order of the inputs says which masked path a file has.
  const again = await read(await serveMasked(inputs));
  expect(again).toMatchObject({ imported: { imported: 1, left_out: [] }, places: [place] });
  // With another key, by the masked path, which the answer says.
  const other = await read(await serveMasked(inputs, {}, 'another secret'));
  expect(other).toMatchObject({
    imported: { imported: 1, left_out: [expect.stringContaining('masked paths: 1')] },
    places: [place],
  });
});

const BOX = {
  kind: 'box',
  points: [
    [0, 0],
    [5, 5],
  ],
};

test('arrays and segments of other files have masked names in a masked run, and a pair of files is still one image', async () => {
  const folder = createTempFolder();
  const slices = [0, 1].map((number) => writeBelow(folder, `${number}.dcm`, writeSlice({ number })));
  const samples = new Uint8Array(1200).fill(1);
  writeBelow(folder, 'ZZPAIRZZ.img', samples);
  const header = Buffer.from(writeNifti({ sizes: [30, 20, 2], samples, magic: 'ni1' })).subarray(0, 348);
  // The samples of a pair begin at the start of their file.
  header.writeFloatLE(0, 108);
  const server = await serveMasked([
    ...slices,
    ...writeTellingArrays(folder),
    writeBelow(folder, 'ZZPAIRZZ.hdr', header),
  ]);

  const { attachments }: AttachmentsResponse = await (await server.request('/api/attachments')).json();

  const [array, segmented, pair] = ['npz', 'nrrd', 'hdr'].map((ending) =>
    attachments.find(({ path }) => path.endsWith(ending)),
  );
  expect(array?.member).toMatch(/^\[masked [0-9a-f]{6}\]$/);
  expect(segmented?.labels.map(({ name }) => name)).toEqual(
    Array(2).fill(expect.stringMatching(/^\[masked [0-9a-f]{6}\]$/)),
  );
  expect([pair?.dtype, pair?.shape]).toEqual(['uint8', [30, 20, 2]]);
  expect(JSON.stringify(attachments)).not.toContain('ZZ');
});

test('a masked run that cannot keep edits says so without its folder', async () => {
  const folder = createTempFolder();
  const state = join(writeBelow(folder, 'ZZSTATEZZ', 'a file'), 'negato');
  const server = await serveMasked([writeBelow(folder, 'a.dcm', writeSlice({ number: 0 }))], {
    journal: { folder: state, kept: 'offer' },
  });
  await server.request('/api/marks', json('POST', { ...BOX, place: { type: 'frame', file_index: 0, frame_index: 0 } }));

  const journal: MarkJournalResponse = await (await server.request('/api/marks/journal')).json();

  expect(journal).toMatchObject({ state: 'failing', folder: null, error: expect.not.stringContaining(folder) });
});

test('pseudonyms of a patient are the same in all files, dates keep their distances, and references resolve', async () => {
  const folder = createTempFolder();
  const dated = (number: number, PatientID: string, StudyDate: string) =>
    writeBelow(
      folder,
      `${number}.dcm`,
      writeSlice({ number, series: number + 1 }, { ...PLANTED, PatientID, StudyDate }),
    );
  const server = await serveMasked([
    dated(0, 'ZZONEZZ', '20190307'),
    dated(1, 'ZZONEZZ', '20190317'),
    dated(2, 'ZZTWOZZ', '20190307'),
  ]);

  const { files } = await listFiles(server);

  const [first, second, other] = files;
  if (first === undefined || second === undefined || other === undefined) throw new Error('three files are open');
  expect(first.patient_name).toMatch(/^Patient\^[0-9a-f]{8}$/);
  expect(first.patient_id).toBe(first.patient_name.slice('Patient^'.length));
  expect([second.patient_id, second.patient_name]).toEqual([first.patient_id, first.patient_name]);
  expect(other.patient_id).not.toBe(first.patient_id);
  expect(daysBetween(first.study_date, second.study_date)).toBe(10);
  expect(other.study_date).not.toBe(first.study_date);
  expect(daysBetween(first.study_date, '20190307')).toBeGreaterThanOrEqual(30);
  expect(first.study_instance_uid).toMatch(/^2\.25\.\d{37,39}$/);
  expect(second.study_instance_uid).toBe(first.study_instance_uid);
  // Files keep the order and the folders of their real paths.
  expect(files.map(({ path }) => path)).toEqual([1, 2, 3].map((number) => `/masked/Folder 1/File ${number}.dcm`));
});

function daysBetween(first: string, second: string): number {
  const [from, to] = [first, second].map((date) => Date.parse(date.replace(/(....)(..)(..)/, '$1-$2-$3')));
  return ((to ?? NaN) - (from ?? NaN)) / 86_400_000;
}

test('the tags of a masked file are all there, each with what is in its place', async () => {
  const server = await serveMasked([writeBelow(createTempFolder(), 'a.dcm', writeSlice({ number: 0 }, PLANTED))]);

  const tags: { tag: string; value: { type: string; value?: unknown } }[] = await (
    await server.request('/api/file/0/tags')
  ).json();

  const valueOf = (wanted: string) => tags.find(({ tag }) => tag === wanted)?.value;
  expect(valueOf('(0008,1030)')).toEqual({ type: 'string', value: '[masked]' });
  expect(valueOf('(0008,0050)')?.value).toMatch(/^\[masked [0-9a-f]{6}\]$/);
  expect(valueOf('(0010,0030)')).toEqual({ type: 'empty' });
  // PS3.15 leaves ages above 89 to the application; they are identifiers by the rules of many countries.
  expect(valueOf('(0010,1010)')).toEqual({ type: 'string', value: '089Y' });
  expect(valueOf('(0040,0275)')).toMatchObject({ type: 'sequence', items: [] });
  expect(valueOf('(0009,1001)')).toEqual({ type: 'empty' });
  expect(valueOf('(0008,0060)')).toEqual({ type: 'string', value: 'CT' });
  expect(valueOf('(0008,0016)')).toEqual({ type: 'string', value: '1.2.840.10008.5.1.4.1.1.2' });
});

test('numbers of any length are shown in a masked run, and a text of any length in their place is not', async () => {
  const digits = new TextEncoder().encode('1\\'.repeat(40_000));
  const input = writeSlice({ number: 0 }, { ...PLANTED, '00181110': { vr: 'UN', value: digits } });
  const telling = { ...ctElements({ SOPInstanceUID: '2.25.9005' }) };
  const server = await serveMasked([
    writeBelow(createTempFolder(), 'a.dcm', input),
    writeBelow(
      createTempFolder(),
      'b.dcm',
      writeDicom({ ...telling, InstanceNumber: { vr: 'UN', value: writeLong('ZZINSTANCEZZ') } }),
    ),
  ]);

  const tags: { tag: string; value: { type: string } }[] = await (await server.request('/api/file/0/tags')).json();

  const valueOf = (wanted: string) => tags.find(({ tag }) => tag === wanted)?.value;
  expect(valueOf('(0018,1110)')).toMatchObject({ type: 'numbers' });
  for (const tag of ['(0018,1100)', '(0018,1151)', '(0018,1114)'])
    expect([tag, valueOf(tag)]).toEqual([tag, { type: 'empty' }]);
  expect((await listFiles(server)).files.map(({ instance_number }) => instance_number)).toEqual(['1', '']);
});

test('filters compare the values of the files, even if these are masked', async () => {
  const folder = createTempFolder();
  const write = (number: number, PatientName: string) =>
    writeBelow(folder, `${number}.dcm`, writeSlice({ number }, { PatientName }));
  const server = await serveMasked([write(0, 'ZZAZZ'), write(1, 'ZZBZZ')], {
    catalog: { filters: [{ field: 'patientName', text: 'zzbzz' }] },
  });

  const { files, filtered } = await listFiles(server);

  expect([files.map(({ instance_number }) => instance_number), filtered]).toEqual([['2'], 1]);
});
