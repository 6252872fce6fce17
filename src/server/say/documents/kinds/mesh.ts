import { DEFAULT_MOST_TRIANGLES } from '../../../../shared/contract/documentTerms.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { listSopClasses } from '../../../images/catalog/sopClassKinds.ts';
import * as Tag from '../../../standard/dicom/tag.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import { buildSummary } from '../buildSummary.ts';
import { formatUnit } from '../describeElements.ts';
import type { DocumentDraft, DocumentFact, DocumentKind, DocumentSource } from '../documentKind.ts';
import { measureMesh } from '../mesh/measureMesh.ts';
import { openMesh } from '../mesh/openMesh.ts';

export const meshKind: DocumentKind = {
  name: 'mesh',
  sopClasses: listSopClasses('4.1.1.104.3 4.1.1.104.4'),
  views: ['mesh', 'content'],
  shows: 'the model on a turntable, its triangles, box, surface and volume; it can be saved',
  build: buildMesh,
};

function buildMesh(source: DocumentSource): DocumentDraft {
  const summary = buildSummary(source);
  try {
    return { ...summary, facts: [...describeMesh(source), ...summary.facts] };
  } catch (error) {
    if (!(error instanceof ViewerError)) throw error;
    return { ...summary, warnings: [...summary.warnings, { code: error.code, message: error.message }] };
  }
}

function describeMesh(source: DocumentSource): DocumentFact[] {
  const { triangles, points, box, surface, volume, isClosed } = measureMesh(openMesh(source, DEFAULT_MOST_TRIANGLES));
  // PS3.3 C.24.2: the unit of the coordinates, millimetres unless another one is named.
  const unit = formatUnit(findCode(source.dataSet, Tag.MeasurementUnitsCodeSequence)) ?? 'mm';
  return [
    fact('Triangles', String(triangles)),
    fact('Points', String(points)),
    fact('Box', box.map(round).join(' × '), unit),
    fact('Surface', round(surface), `${unit}²`),
    ...(volume === undefined ? [] : [fact('Volume', round(volume), `${unit}³`)]),
    fact('Closed', isClosed ? 'yes' : 'no: it encloses no volume'),
  ];
}

function fact(label: string, value: string, unit?: string): DocumentFact {
  return { section: 'Mesh', label, value, unit };
}

function round(value: number): string {
  return String(Number(value.toPrecision(6)));
}
