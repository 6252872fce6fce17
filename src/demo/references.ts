import type { DataSetInput } from '../server/standard/dicom/writeDicom.ts';
import { type CodeTriplet, codeSequence } from '../server/standard/dicom/codeSequence.ts';
import { type DemoSeries, seriesUid } from './studyElements.ts';

export type Instance = { readonly sopClassUid: string; readonly sopInstanceUid: string };

export function instanceReference({ sopClassUid, sopInstanceUid }: Instance): DataSetInput {
  return { ReferencedSOPClassUID: sopClassUid, ReferencedSOPInstanceUID: sopInstanceUid };
}

/** Common Instance Reference, PS3.3 C.12.2: every instance of the same study that the object refers to. */
export function referencedSeries(series: DemoSeries, instances: readonly Instance[]): DataSetInput {
  return {
    ReferencedSeriesSequence: [
      { SeriesInstanceUID: seriesUid(series), ReferencedInstanceSequence: instances.map(instanceReference) },
    ],
  };
}

/** Derivation Image: the frames from which a frame was derived, with the same pixel grid. */
export function derivedFrom(
  derivation: CodeTriplet,
  sources: readonly (Instance & { readonly frameNumbers?: readonly number[] })[],
): DataSetInput {
  return {
    DerivationImageSequence: [
      {
        DerivationCodeSequence: codeSequence(derivation),
        SourceImageSequence: sources.map((source) => ({
          ...instanceReference(source),
          ReferencedFrameNumber: source.frameNumbers,
          SpatialLocationsPreserved: 'YES',
          PurposeOfReferenceCodeSequence: codeSequence([
            '121322',
            'DCM',
            'Source image for image processing operation',
          ]),
        })),
      },
    ],
  };
}
