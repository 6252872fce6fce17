import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const spectroscopyKind: DocumentKind = {
  name: 'spectroscopy',
  sopClasses: listSopClasses('4.1.1.4.2'),
  views: ['spectra', 'spectra/:spectrum'],
  shows:
    'the spectra over a ppm axis, with phase, apodization and a grid of voxels; how they were acquired; their volume over images',
  build: buildSummary,
};
