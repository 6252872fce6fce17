import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import type { DocumentKind } from '../documentKind.ts';
import { buildKeyObjects } from '../report/buildKeyObjects.ts';

export const keyObjectsKind: DocumentKind = {
  name: 'key_objects',
  sopClasses: listSopClasses('4.1.1.88.59'),
  views: ['report', 'presentation'],
  shows: 'the selected images in their order, with title and description',
  build: buildKeyObjects,
};
