import { type CodeTriplet, codeSequence } from '../dicom/codeSequence.ts';
import type { DataSetInput } from '../dicom/dataSetInput.ts';
import { ContentCode } from './contentCodes.ts';

/** Content items of structured reports, PS3.3 C.17.3, to write. */

export function container(name: CodeTriplet, content: readonly DataSetInput[]): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'CONTAINER',
    ConceptNameCodeSequence: codeSequence(name),
    ContinuityOfContent: 'SEPARATE',
    ContentSequence: content,
  };
}

/** What a report of measurements by PS3.16 TID 1500 begins with: its language, its observer, a device, and the procedure. */
export function reportContext(deviceUid: string, procedure: CodeTriplet): DataSetInput[] {
  return [
    codeContent('HAS CONCEPT MOD', ContentCode.Language, ['en', 'RFC5646', 'English']),
    codeContent('HAS OBS CONTEXT', ['121005', 'DCM', 'Observer Type'], ['121007', 'DCM', 'Device']),
    uidContent(['121012', 'DCM', 'Device Observer UID'], deviceUid),
    codeContent('HAS CONCEPT MOD', ['121058', 'DCM', 'Procedure reported'], procedure),
  ];
}

/** A group of measurements by a template of PS3.16. */
export function measurementContainer(template: string, content: readonly DataSetInput[]): DataSetInput {
  return {
    ...container(ContentCode.MeasurementGroup, content),
    ContentTemplateSequence: [{ MappingResource: 'DCMR', TemplateIdentifier: template }],
  };
}

/** What makes a finding the same one in several reports. */
export function trackingContent(name: string, uid: string): DataSetInput[] {
  return [
    textContent('HAS OBS CONTEXT', ContentCode.TrackingIdentifier, name),
    uidContent(ContentCode.TrackingUniqueIdentifier, uid),
  ];
}

export function codeContent(relationship: string, name: CodeTriplet, value: CodeTriplet): DataSetInput {
  return {
    RelationshipType: relationship,
    ValueType: 'CODE',
    ConceptNameCodeSequence: codeSequence(name),
    ConceptCodeSequence: codeSequence(value),
  };
}

export function textContent(relationship: string, name: CodeTriplet, text: string): DataSetInput {
  return {
    RelationshipType: relationship,
    ValueType: 'TEXT',
    ConceptNameCodeSequence: codeSequence(name),
    TextValue: text,
  };
}

export function uidContent(name: CodeTriplet, uid: string): DataSetInput {
  return {
    RelationshipType: 'HAS OBS CONTEXT',
    ValueType: 'UIDREF',
    ConceptNameCodeSequence: codeSequence(name),
    UID: uid,
  };
}

/** A number that could not be measured. PS3.16 CID 42. */
export function failedNumberContent(name: CodeTriplet): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'NUM',
    ConceptNameCodeSequence: codeSequence(name),
    MeasuredValueSequence: [],
    NumericValueQualifierCodeSequence: codeSequence(['114006', 'DCM', 'Measurement failure']),
  };
}

export function numberContent(
  name: CodeTriplet,
  { value, unit }: { readonly value: string; readonly unit: CodeTriplet },
  content: readonly DataSetInput[] = [],
): DataSetInput {
  return {
    RelationshipType: 'CONTAINS',
    ValueType: 'NUM',
    ConceptNameCodeSequence: codeSequence(name),
    MeasuredValueSequence: [{ NumericValue: value, MeasurementUnitsCodeSequence: codeSequence(unit) }],
    ContentSequence: content.length === 0 ? undefined : content,
  };
}
