import { Errors } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { listStorageClasses } from '../../src/server/standard/dicom/uids.ts';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { type DocumentResponse, DocumentResponse as Schema } from '../../src/shared/contract/documents.ts';
import { OBJECTS_OF_EVERY_KIND } from '../hostile/objectsOfEveryKind.ts';
import { placedImage } from '../support/placedElements.ts';
import { serveShared, type SharedServer } from '../support/serve.ts';
import { strictSchema } from '../support/strictSchema.ts';

const SCHEMA = strictSchema(Schema);

async function read(server: SharedServer, index: number): Promise<DocumentResponse> {
  const response = await server.request(`/api/file/${index}/document`);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(Errors(SCHEMA, body)).toEqual([]);
  return body;
}

async function readOne(elements: DataSetInput): Promise<DocumentResponse> {
  return read(await serveShared(writeDicom(elements)), 0);
}

const OBJECT = { SOPInstanceUID: '2.25.900', PatientName: 'Doe^Jane', StudyDate: '20240131' };

test('an object of every storage class of the standard has a well-formed document', async () => {
  const classes = listStorageClasses();
  const server = await serveShared(
    ...classes.map(({ uid }, at) => writeDicom({ ...OBJECT, SOPClassUID: uid, SOPInstanceUID: `2.25.${at + 1}` })),
  );
  for (const [index, { uid, name }] of classes.entries()) {
    const document = await read(server, index);
    expect(document.sop_class_uid).toBe(uid);
    expect(document.sop_class_name).toBe(name);
    expect(document.title).not.toBe('');
  }
});

test.each(Object.entries(OBJECTS_OF_EVERY_KIND))('%s has a well-formed document too', async (_, elements) => {
  const { title, facts } = await readOne(elements);
  expect(title).not.toBe('');
  expect(facts.length).toBeGreaterThan(0);
});

describe('the summary of an object of a private class', () => {
  const elements = {
    ...OBJECT,
    SOPClassUID: '1.2.3.4.5',
    Manufacturer: 'Maker',
    ContentLabel: 'MY_LABEL',
    ReferencedStudySequence: [{ ReferencedSOPInstanceUID: '2.25.1' }],
    OtherPatientIDsSequence: [{ PatientID: 'A' }, { PatientID: 'B', TypeOfPatientID: 'TEXT' }],
  };

  test('says that the class is unknown, and lists the elements by module', async () => {
    const { kind, title, subtitle, warnings, facts } = await readOne(elements);
    expect({ kind, title, subtitle }).toEqual({ kind: 'other', title: 'MY_LABEL', subtitle: 'Private object' });
    expect(warnings.map(({ code }) => code)).toEqual(['unknown_class']);
    expect(facts).toContainEqual({
      section: 'Patient',
      label: "Patient's Name",
      value: 'Doe, Jane',
      unit: null,
      tag_path: '(0010,0010)',
    });
    expect(facts).toContainEqual({
      section: 'Study',
      label: 'Study Date',
      value: '2024-01-31',
      unit: null,
      tag_path: '(0008,0020)',
    });
    expect(facts).toContainEqual(expect.objectContaining({ section: 'Equipment', value: 'Maker' }));
  });

  test('has a table for each sequence but those that only name other objects', async () => {
    const { tables } = await readOne(elements);
    expect(tables).toEqual([
      {
        title: 'Other Patient IDs Sequence',
        columns: [
          { label: 'Patient ID', unit: null, is_color: false },
          { label: 'Type of Patient ID', unit: null, is_color: false },
        ],
        rows: [
          ['A', null],
          ['B', 'TEXT'],
        ],
        row_count: 2,
      },
    ]);
  });
});

test('completion and verification are the status', async () => {
  const SOPClassUID = '1.2.840.10008.5.1.4.1.1.88.11';
  const { status } = await readOne({
    ...OBJECT,
    SOPClassUID,
    CompletionFlag: 'PARTIAL',
    VerificationFlag: 'VERIFIED',
  });
  expect(status).toEqual([
    { label: 'Completion', value: 'partial', tone: 'warn' },
    { label: 'Verification', value: 'verified', tone: 'good' },
  ]);
});

const referenceTo = (uid: string) => ({
  ReferencedSOPClassUID: '1.2.840.10008.5.1.4.1.1.2',
  ReferencedSOPInstanceUID: uid,
});

test('a link leads to the frame of an open file, and a link to a missing one says which it is', async () => {
  const image = placedImage({ uid: '2.25.1', rows: 2, columns: 2 });
  const server = await serveShared(
    writeDicom(image),
    writeDicom({
      ...OBJECT,
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.66',
      ReferencedSeriesSequence: [
        { SeriesInstanceUID: '2.25.7', ReferencedInstanceSequence: [referenceTo('2.25.1'), referenceTo('2.25.8')] },
      ],
    }),
  );
  const { links, link_count } = await read(server, 1);
  expect(link_count).toBe(2);
  expect(
    links.map(({ label, target, matches, place }) => [label, target.sop_instance_uid, matches.length, place]),
  ).toEqual([
    ['CT Image', '2.25.1', 1, { frame_index: 0, layer: null, item: null, time_ms: null }],
    ['CT Image', '2.25.8', 0, null],
  ]);
  expect(links[1]?.target.series_instance_uid).toBe('2.25.7');
});

test('a table of more rows than an answer has is cut, and says so', async () => {
  const items = Array.from({ length: 10_001 }, (_, i) => ({ PatientID: `P${i}` }));
  const { tables, warnings } = await readOne({
    ...OBJECT,
    SOPClassUID: '1.2.840.10008.5.1.4.1.1.66',
    OtherPatientIDsSequence: items,
  });
  expect(tables[0]?.rows).toHaveLength(10_000);
  expect(tables[0]?.row_count).toBe(10_001);
  expect(warnings.map(({ code }) => code)).toEqual(['cut']);
});
