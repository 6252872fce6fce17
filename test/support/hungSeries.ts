import type { HangingValues, HungSeries } from '../../src/shared/hanging/hangingRule.ts';

/** A series as rules see it: of a CT with 100 axial images, except for what is given. */
export function hungSeries(
  id: string,
  values: Partial<HangingValues> = {},
  { frameOfReferenceUid = '1.2', rowsTo = '' }: Partial<HungSeries> = {},
): HungSeries {
  return {
    id,
    frameOfReferenceUid,
    rowsTo,
    values: {
      Modality: 'CT',
      SeriesDescription: '',
      StudyDescription: '',
      SeriesNumber: 1,
      Rows: 512,
      Columns: 512,
      ImageLaterality: null,
      ViewPosition: null,
      ObjectKind: 'classic_image',
      Images: 100,
      Times: 1,
      Plane: 'axial',
      Weighting: null,
      ...values,
    },
  };
}
