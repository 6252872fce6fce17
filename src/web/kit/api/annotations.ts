import { NO_ROIS } from '../../../shared/annotations.ts';
import type {
  AnnotatedFilesResponse,
  AnnotationJournalResponse,
  AnnotationPayload,
  RecoveryBody,
  RedactionJournalResponse,
} from '../../../shared/contract/annotations.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import { send } from './send.ts';

/** All ROIs of one file as the server holds them. */
export type StoredRois = {
  readonly payload: AnnotationPayload;
  readonly etag: string;
  /** The run of the server that sent them. In another run the same index may be another file. */
  readonly instance: string;
  /** For an edit that was just saved: whether it is also on disk. */
  readonly durability?: string | undefined;
};

export async function fetchAnnotations(fileIndex: number, signal: AbortSignal): Promise<StoredRois> {
  return readStored(await send(`api/file/${fileIndex}/annotations`, { signal, priority: 'low' }));
}

/** ETags of the files whose ROIs must be requested, and the state of all other files. */
export type RoiOverview = { readonly etags: ReadonlyMap<number, string>; readonly untouched: StoredRois };

export async function fetchRoiOverview(signal: AbortSignal): Promise<RoiOverview> {
  const response = await send('api/annotations', { signal, priority: 'low' });
  const { files, untouched_etag: etag }: AnnotatedFilesResponse = await response.json();
  const etags = new Map(files.map((file) => [file.index, file.etag]));
  return { etags, untouched: { payload: NO_ROIS, etag, instance: instanceOf(response) } };
}

/** Refused as `stale_annotation` if the server's ROIs have changed since `etag`. */
export async function replaceAnnotations(
  fileIndex: number,
  payload: AnnotationPayload,
  { etag, signal }: { readonly etag: string | undefined; readonly signal: AbortSignal },
): Promise<StoredRois> {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (etag !== undefined) headers.set('If-Match', etag);
  const body = JSON.stringify(payload);
  return readStored(await send(`api/file/${fileIndex}/annotations`, { method: 'PUT', headers, body, signal }));
}

/** CSV of the ROIs of all files. After a failed import only the edits can be exported. */
export async function fetchAnnotationCsv({ editsOnly }: { readonly editsOnly: boolean }): Promise<Blob> {
  const response = await send(`api/annotations/export.csv${editsOnly ? '?edits_only=true' : ''}`);
  return response.blob();
}

/** Whether edits survive a server restart, and what an earlier run has kept. */
export async function fetchJournal(signal: AbortSignal): Promise<AnnotationJournalResponse> {
  return (await send('api/annotations/journal', { signal, priority: 'low' })).json();
}

export async function recoverAnnotations(action: RecoveryBody['action']): Promise<AnnotationJournalResponse> {
  const headers = { 'Content-Type': 'application/json' };
  return (await send('api/annotations/journal', { method: 'PUT', headers, body: JSON.stringify({ action }) })).json();
}

export async function fetchRedactionJournal(signal: AbortSignal): Promise<RedactionJournalResponse> {
  return (await send('api/redactions/journal', { signal, priority: 'low' })).json();
}

export async function recoverRedactions(action: RecoveryBody['action']): Promise<RedactionJournalResponse> {
  const headers = { 'Content-Type': 'application/json' };
  return (await send('api/redactions/journal', { method: 'PUT', headers, body: JSON.stringify({ action }) })).json();
}

async function readStored(response: Response): Promise<StoredRois> {
  const payload: AnnotationPayload = await response.json();
  const etag = response.headers.get('ETag');
  if (etag === null) throw new Error('the server sent no ETag for the ROIs');
  const durability = response.headers.get(HEADER.annotationDurability) ?? undefined;
  return { payload, etag, instance: instanceOf(response), durability };
}

function instanceOf({ headers }: Response): string {
  return headers.get(HEADER.serverInstance) ?? '';
}
