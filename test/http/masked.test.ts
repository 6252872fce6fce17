import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ENDPOINT_NAMES, ENDPOINTS, type Endpoint } from '../../src/shared/contract/endpoints.ts';
import type { FilesResponse } from '../../src/shared/contract/files.ts';
import type { DataSet } from '../../src/server/dicom/dataSet.ts';
import type { DataSetInput } from '../../src/server/dicom/dataSetInput.ts';
import { readDicom } from '../../src/server/dicom/readDataSet.ts';
import { ImplementationClassUID } from '../../src/server/dicom/tag.ts';
import { writeDicom } from '../../src/server/dicom/writeDicom.ts';
import { findMasker, setMaskKey } from '../../src/server/masking/masker.ts';
import { bufferSource } from '../../src/server/origins/byteSource.ts';
import { writeNpy } from '../support/arrayFiles.ts';
import { EVERY_REQUEST, optionsOfRequest, writeEveryFile } from '../support/everyEndpoint.ts';
import { FRAME_OF_REFERENCE } from '../support/placedElements.ts';
import { reportElements } from '../support/regionElements.ts';
import { serveWith, type TestServer } from '../support/serve.ts';
import { writeSlice } from '../support/sliceFiles.ts';
import { slideElements } from '../support/slideElements.ts';
import { createTempFolder, writeBelow } from '../support/tempFolder.ts';

/** Text that identifies a person is marked in all files of these tests. */
const MARK = /ZZ[A-Z0-9]+ZZ/gi;
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
};

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
async function serveMasked(inputs: readonly string[], options: Parameters<typeof serveWith>[0] = {}) {
  setMaskKey(new TextEncoder().encode('a secret of this test'));
  onTestFinished(() => setMaskKey(undefined));
  return serveWith({ inputs, memoryBytes: 512 * 2 ** 20, ...options });
}

async function listFiles(server: TestServer): Promise<FilesResponse> {
  return (await server.request('/api/files')).json();
}

/** The UIDs of instances and the dates of a file, as stored. */
function identifiersOf(file: Uint8Array): string[] {
  const { dataSet, meta } = readDicom(bufferSource(file), { isOriginal: true });
  const found: string[] = [];
  const walk = (within: DataSet) => {
    for (const { tag, readAs, items } of within) {
      for (const item of items ?? []) walk(item);
      // The implementation is a program, not an instance.
      if ((readAs !== 'UI' && readAs !== 'DA') || tag === ImplementationClassUID) continue;
      found.push(...within.strings(tag, 8));
    }
  };
  walk(dataSet);
  walk(meta);
  return found.filter((text) => !text.startsWith('1.2.840.10008.') && text.length > 5);
}

/** The whole answer as text: its headers, and its body unpacked. */
async function readWhole(response: Response): Promise<string> {
  const headers = [...response.headers].map((pair) => pair.join(': ')).join('\n');
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    await response.body?.cancel();
    return headers;
  }
  const bytes = Buffer.from(await response.arrayBuffer());
  const body = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  return `${headers}\n${body.toString('latin1')}`;
}

test('no answer of a masked run contains a name, an id, a date, a UID or a path of the files', async () => {
  const files = [...writeEveryFile(PLANTED), writeTellingReport(), writeLabel()];
  const folder = createTempFolder();
  const paths = files.map((file, i) => writeBelow(folder, `ZZFOLDERZZ/ZZPATIENT${i}ZZ.dcm`, file));
  const attached = writeNpy([2, 20, 30], new Uint8Array(1200).fill(1));
  const overlay = writeBelow(folder, 'ZZFOLDERZZ/ZZLABELSZZ.npy', attached);
  const uids = new Set(files.flatMap(identifiersOf));
  expect(uids.size).toBeGreaterThan(30);

  const server = await serveMasked([...paths, overlay]);
  const frameOfReference = findMasker()?.uid(FRAME_OF_REFERENCE) ?? '';
  const { files: listed } = await listFiles(server);
  const requests = [
    ...ENDPOINT_NAMES.map((name) => ({ name, path: EVERY_REQUEST[name], init: optionsOfRequest(name) })),
    ...listed.flatMap(({ index }) =>
      ABOUT_A_FILE.map(([name, path]) => ({ name, path: `/api${path.replace(':index', String(index))}`, init: {} })),
    ),
    { name: 'label', path: `/api/file/${listed.length - 1}/frame/0`, init: {} },
  ];
  const leaks: string[] = [];
  const refused = new Set<string>();
  let answered = 0;
  // Not followed by another digit: the pseudonyms of UIDs begin like some of the original ones.
  const originals = [...uids].map((uid) => new RegExp(`${uid.replaceAll('.', '\\.')}(?![\\d.])`));
  const ask = async ({ name, path, init }: (typeof requests)[number]) => {
    const response = await server.request(path.replace(FRAME_OF_REFERENCE, frameOfReference), init);
    if (response.status === 200) answered += 1;
    if (response.status === 403) refused.add(name);
    const text = await readWhole(response);
    const found = [...(text.match(MARK) ?? []), ...originals.flatMap((uid) => uid.exec(text)?.[0] ?? [])];
    if (text.includes(folder)) found.push(folder);
    for (const each of new Set(found)) leaks.push(`${name} ${path}: ${each}`);
  };
  for (let at = 0; at < requests.length; at += 8) await Promise.all(requests.slice(at, at + 8).map(ask));

  expect(leaks).toEqual([]);
  expect([...refused].toSorted()).toEqual([
    'content',
    'label',
    'mesh',
    'narrative',
    'narrativeMedium',
    'storedFile',
    'video',
  ]);
  // Every endpoint was asked for something that it has: the others are refused, or say that there is nothing.
  expect(answered).toBeGreaterThan(listed.length * 4 + ENDPOINT_NAMES.length - 10);
  expect(server.errors).toEqual([]);
});

/** Endpoints of which every file has an answer, or a refusal that may quote it. */
const ABOUT_A_FILE = Object.entries(ENDPOINTS).flatMap(([name, { method, path, isUnmaskable }]: [string, Endpoint]) =>
  method === 'GET' && /^\/file\/:index\/[a-z-]+$/.test(path) && isUnmaskable !== true ? [[name, path] as const] : [],
);

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
