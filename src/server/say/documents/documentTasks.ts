import { type CostFactors, readBytesOf, readingCost } from '../../standard/dicom/readCost.ts';
import type { DocumentKindName } from '../../../shared/contract/documentTerms.ts';
import type { KnownSource } from '../../bytes/origins/origins.ts';
import type { DeclaredReference } from '../../images/references/declaredReferences.ts';
import { defineTask, type Task } from '../../machine/workers/task.ts';

/** What is known of a file before it is read. */
export type DocumentFile = {
  readonly source: KnownSource;
  readonly sopClassUid: string;
  readonly transferSyntaxUid: string;
};

/** A link to another object. */
export type DocumentLink = DeclaredReference & {
  readonly label: string;
  /** The place in the document that it leads to, if that is another document. */
  readonly item?: string | undefined;
  /** Whether the object itself is a layer over the target. */
  readonly isLayer?: boolean | undefined;
  readonly timeMs?: number | undefined;
};

export type DocumentRecord = {
  readonly kind: DocumentKindName;
  /** The JSON of everything but the links, an object that is left open: there may be many rows of tables. */
  readonly json: string;
  readonly links: readonly DocumentLink[];
  /** There are more than `links` if the list is cut. */
  readonly linkCount: number;
};

/** A task that reads something out of a document. */
export type DocumentTask<Query, Output> = Task<Query & DocumentFile, Output, CostFactors>;
const DOCUMENT_COST = readingCost(30_000);

export function documentTask<Query, Output>(
  name: string,
  cost: DocumentTask<Query, Output>['cost'] = DOCUMENT_COST,
): DocumentTask<Query, Output> {
  return defineTask(name, cost);
}

/** Reports are read up to twice as many elements as other objects. */
const MORE_REPORT_BYTES = 40 * 2 ** 20;
const OBJECTS_FACTOR = 12;
/** The same for reports and texts: their elements take more memory than those of a header. */
export const REPORT_COST = {
  timeoutMs: 30_000,
  mostBytes: (_: unknown, file: CostFactors) =>
    readBytesOf(file) + Math.min(OBJECTS_FACTOR * file.fileBytes, MORE_REPORT_BYTES),
};

export const readDocumentTask = documentTask<unknown, DocumentRecord>('documents.read');
