import { listSopClasses } from '../../catalog/sopClassKinds.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const waveformKind: DocumentKind = {
  name: 'waveform',
  sopClasses: listSopClasses(
    '4.1.1.9 4.1.1.129 4.1.1.9.1 4.1.1.9.1.1-4 4.1.1.9.2.1 4.1.1.9.3.1 4.1.1.9.4.1 4.1.1.9.4.2 4.1.1.9.5.1 4.1.1.9.6.1 4.1.1.9.6.2 4.1.1.9.7.1-4 4.1.1.9.8.1 4.1.1.601.5',
  ),
  views: [],
  shows: 'what was recorded, its groups of channels and annotations',
  build: buildSummary,
};
