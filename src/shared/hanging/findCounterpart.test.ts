import { expect, test } from 'vitest';
import { hungSeries } from '../../../test/support/hungSeries.ts';
import { findCounterpart } from './findCounterpart.ts';
import { findWeighting } from './weighting.ts';

function mr(id: string, SeriesDescription: string, Plane = 'axial', Images = 30) {
  return hungSeries(id, {
    Modality: 'MR',
    SeriesDescription,
    Weighting: findWeighting(SeriesDescription),
    Plane,
    Images,
  });
}

function image(ImageLaterality: string, ViewPosition: string) {
  return hungSeries(`${ImageLaterality} ${ViewPosition}`, {
    Modality: 'MG',
    Plane: null,
    ImageLaterality,
    ViewPosition,
  });
}

test('the series of another study with the same weighting and plane plays the same role', () => {
  const study = [mr('1', 't1_se_tra'), mr('2', 't2_tse_cor', 'coronal'), mr('3', 'T2 FSE ax'), mr('4', 'AX FLAIR')];
  expect(findCounterpart(mr('', 't2_tse_tra'), study)?.id).toBe('3');
  expect(findCounterpart(mr('', 'ep2d_diff_b1000'), study)).toBeUndefined();
});

test('of several series that are alike, the one whose description has the same words is taken', () => {
  const study = [
    hungSeries('lung', { SeriesDescription: 'Thorax 1.0 B70f lung' }),
    hungSeries('soft', { SeriesDescription: 'Thorax 3.0 B30f soft' }),
  ];
  expect(findCounterpart(hungSeries('', { SeriesDescription: 'Thorax 3.0 B30f' }), study)?.id).toBe('soft');
});

test('a localizer is not like an axial series, and another modality never is', () => {
  const study = [hungSeries('scout', { Plane: 'coronal', Images: 2 }), hungSeries('pet', { Modality: 'PT' })];
  expect(findCounterpart(hungSeries(''), study)).toBeUndefined();
});

test('a mammogram is like that of the same side and view', () => {
  const study = [image('R', 'CC'), image('L', 'CC'), image('L', 'MLO')];
  expect(findCounterpart(image('L', 'MLO'), study)?.id).toBe('L MLO');
  expect(findCounterpart(image('R', 'MLO'), study)).toBeUndefined();
});

test.each([
  ['t1_mprage_sag', 'T1'],
  ['AX T1 POST', 'T1+C'],
  ['t1_tse_tra_KM', 'T1+C'],
  ['t2_tse_tra', 'T2'],
  ['AX T2 FLAIR', 'FLAIR'],
  ['t2_tirm_tra_dark-fluid', 'FLAIR'],
  ['ep2d_diff_b1000', 'DWI'],
  ['ep2d_diff_ADC', 'ADC'],
  ['Ax SWI', 'SWI'],
  ['TOF_3D_multi-slab', 'MRA'],
  ['PD_FS_SAG', 'PD'],
  ['localizer', null],
])('%s is weighted like %s', (description, weighting) => {
  expect(findWeighting(description)).toBe(weighting);
});
