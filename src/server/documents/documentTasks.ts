import type { DocumentKindName } from '../../shared/contract/documentTerms.ts';
import type { KnownSource } from '../origins/origins.ts';
import type { DeclaredReference } from '../references/declaredReferences.ts';
import { defineTask } from '../workers/task.ts';

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

export const readDocumentTask = defineTask<DocumentFile, DocumentRecord>('documents.read');
