import { expect, test } from 'vitest';
import { type DataSetInput, writeDicom } from '../../src/server/standard/dicom/writeDicom.ts';
import { serve } from '../support/serve.ts';

/** A code without a meaning, as some scanners write it. */
function code(value: string, scheme = 'DCM', meaning?: string): DataSetInput[] {
  return [{ CodeValue: value, CodingSchemeDesignator: scheme, CodeMeaning: meaning }];
}

function number(value: string, concept: DataSetInput[]): DataSetInput {
  const measured = { NumericValue: value, MeasurementUnitsCodeSequence: code('mGy', 'UCUM', 'mGy') };
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'NUM',
    ConceptNameCodeSequence: concept,
    MeasuredValueSequence: [measured],
  };
}

test('codes of the standard without a meaning have that of PS3.16 in tables, content and title of a report', async () => {
  const event = {
    RelationshipType: 'CONTAINS',
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: code('113819'),
    ContentSequence: [
      number('11.25', code('113830')),
      // The meaning that is written stays.
      number('3', code('113838', 'DCM', 'Own words')),
      // Other schemes are not known.
      number('4', code('113830', '99OWN')),
    ],
  };
  const server = await serve(
    writeDicom({
      SOPClassUID: '1.2.840.10008.5.1.4.1.1.88.67',
      SOPInstanceUID: '2.25.1',
      StudyInstanceUID: '2.25.2',
      SeriesInstanceUID: '2.25.3',
      Modality: 'SR',
      ValueType: 'CONTAINER',
      ConceptNameCodeSequence: code('113701'),
      ContentSequence: [event],
    }),
  );

  const document = await (await server.request('/api/file/0/document')).text();
  const content = await (await server.request('/api/file/0/report')).text();

  // PS3.16 Annex D: 113830 is Mean CTDIvol, 113819 CT Acquisition, 113701 X-Ray Radiation Dose Report.
  expect(document).toContain('Mean CTDIvol (mGy)');
  expect(document).toContain('Own words (mGy)');
  expect(document).toContain('113830 (99OWN) (mGy)');
  expect(document).toContain('X-Ray Radiation Dose Report');
  expect(content).toContain('CT Acquisition');
});
