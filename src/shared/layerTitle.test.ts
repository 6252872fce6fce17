import { expect, test } from 'vitest';
import { RT_DOSE_STORAGE } from './contract/layers.ts';
import { titleOfLayer, titleOfModelOutput, type TitledObject } from './layerTitle.ts';

const SEGMENTATION: TitledObject = {
  objectKind: 'segmentation',
  sopClassUid: '1.2.840.10008.5.1.4.1.1.66.4',
  modality: 'SEG',
  seriesNumber: '7',
  seriesDescription: '',
  contentTitle: undefined,
};
const DOSE: TitledObject = {
  ...SEGMENTATION,
  objectKind: 'classic_image',
  sopClassUid: RT_DOSE_STORAGE,
  modality: 'RTDOSE',
};
const PET: TitledObject = { ...SEGMENTATION, objectKind: 'classic_image', sopClassUid: '1.2', modality: 'PT' };

test.each<[string, TitledObject, string]>([
  ['the series of a segmentation', { ...SEGMENTATION, contentTitle: 'Liver', seriesDescription: 'Model 3' }, 'Model 3'],
  [
    'its label, if its series says only what it is',
    { ...SEGMENTATION, contentTitle: 'Liver', seriesDescription: 'Segmentation' },
    'Liver',
  ],
  [
    'the label of a structure set',
    { ...SEGMENTATION, modality: 'RTSTRUCT', contentTitle: 'Plan A', seriesDescription: 'ARIA' },
    'Plan A',
  ],
  ['a label that says only what it is, if nothing else does', { ...SEGMENTATION, contentTitle: 'SEG' }, 'SEG'],
  [
    'what it is, if its texts are UIDs',
    { ...SEGMENTATION, contentTitle: '1.2.840.113619.2', seriesDescription: 'RS.1.2.246.352.71.4' },
    'Segmentation',
  ],
  [
    'the beam of a dose',
    { ...DOSE, contentTitle: 'Dose of beam 2', seriesDescription: 'Eclipse Doses' },
    'Dose of beam 2',
  ],
  ['a dose', DOSE, 'Dose'],
  ['the series of an image', { ...PET, seriesDescription: 'WB 3D' }, 'WB 3D'],
  ['the modality and number of an image', PET, 'PT series 7'],
])('a layer is called by %s', (_, file, title) => {
  expect(titleOfLayer(file)).toBe(title);
});

test.each([
  ['/data/case1/lungs.nii.gz', undefined, 'lungs'],
  ['/data/case1/lungs.seg.nrrd', undefined, 'lungs'],
  ['C:\\data\\net.npz', 'probabilities', 'net: probabilities'],
  ['/data/pictures', undefined, 'pictures'],
  ['/data/model 3/1.2.840.113619.2.55.3.nii.gz', undefined, 'model 3'],
  ['/1.2.3.4.5.6/1.2.840.113619.2.55.3.nii.gz', undefined, 'Model output'],
])('model output at %s is called by a name', (path, member, title) => {
  expect(titleOfModelOutput(path, member)).toBe(title);
});
