import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import { parseRegistrations } from '../../../over/layers/readRegistration.ts';
import { describeMotion, nameMotion } from '../../../over/layers/rigidMotion.ts';
import { buildDeepSummary } from '../buildDeepSummary.ts';
import { tableOf } from '../describeElements.ts';
import type { DocumentDraft, DocumentKind, DocumentSource } from '../documentKind.ts';

export const registrationKind: DocumentKind = {
  name: 'registration',
  sopClasses: listSopClasses('4.1.1.66.1 4.1.1.66.3 4.1.1.77.1.5.3'),
  views: [],
  shows: 'what it aligns, each matrix as angle and shift, and the grids of vectors',
  build: buildRegistration,
};

function buildRegistration(source: DocumentSource): DocumentDraft {
  const { frameOfReferenceUid, items, problems } = parseRegistrations(source.dataSet);
  const summary = buildDeepSummary(source);
  const table = tableOf('Alignment', items, [
    { label: 'Type', value: (one) => (one.deformableItem === undefined ? one.type?.toLowerCase() : 'deformable') },
    { label: 'Motion', value: (one) => nameMotion(describeMotion(one.matrix)) },
    { label: 'Angle', unit: '°', value: (one) => round(describeMotion(one.matrix).angleDegrees) },
    ...['x', 'y', 'z'].map((axis, at) => ({
      label: `Shift ${axis}`,
      unit: 'mm',
      value: (one: (typeof items)[number]) => round(one.matrix[4 * at + 3] ?? NaN),
    })),
    { label: 'From', value: (one) => one.frameOfReferenceUid },
    {
      label: 'To',
      value: (one) => (one.frameOfReferenceUid === frameOfReferenceUid ? 'the same' : frameOfReferenceUid),
    },
  ]);
  return {
    ...summary,
    tables: table === undefined ? summary.tables : [table, ...summary.tables],
    warnings: [
      ...summary.warnings,
      ...problems.map((why) => ({ code: 'unusable_matrix', message: `An alignment is left out: ${why}.` })),
    ],
  };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
