import * as Tag from '../../../standard/dicom/tag.ts';
import { isRejection } from '../../../over/presentation/rejection.ts';
import { findCode } from '../../../standard/dicom/code.ts';
import type { DocumentDraft, DocumentSource, DocumentStatus, DocumentWarning } from '../documentKind.ts';
import { buildReportDocument } from './buildReportDocument.ts';
import { readEvidence } from './evidence.ts';

/** What a key object selection is; what it selects is its content. PS3.16 TID 2010. */
export function buildKeyObjects(source: DocumentSource): DocumentDraft {
  const { dataSet } = source;
  const document = buildReportDocument(source);
  const rejected: DocumentStatus[] = isRejection(findCode(dataSet, Tag.ConceptNameCodeSequence))
    ? [{ label: 'Images', value: 'rejected', tone: 'warn' }]
    : [];
  const named = new Set(
    dataSet
      .items(Tag.ContentSequence)
      .flatMap((item) => item.items(Tag.ReferencedSOPSequence)[0]?.string(Tag.ReferencedSOPInstanceUID) ?? []),
  );
  const unselected = [...readEvidence(dataSet).keys()].filter((uid) => !named.has(uid)).length;
  const warnings: DocumentWarning[] =
    unselected === 0
      ? []
      : [
          {
            code: 'unselected_evidence',
            message: `The evidence lists ${unselected} more ${unselected === 1 ? 'object' : 'objects'} than are selected.`,
          },
        ];
  return { ...document, status: [...rejected, ...document.status], warnings: [...document.warnings, ...warnings] };
}
