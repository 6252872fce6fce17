import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { isVideoSyntax } from '../../../standard/dicom/transferSyntax.ts';
import { buildSummary } from '../buildSummary.ts';
import type { DocumentKind } from '../documentKind.ts';

export const videoKind: DocumentKind = {
  name: 'video',
  sopClasses: listSopClasses('4.1.1.77.1.1.1 4.1.1.77.1.2.1 4.1.1.77.1.4.1'),
  recognizes: ({ transferSyntaxUid }) => isVideoSyntax(transferSyntaxUid),
  views: ['video'],
  shows: 'its frames as pictures, or a player; a stream that no browser plays can be saved',
  build: buildSummary,
};
