import {
  formatOf,
  type MarkExportFormat,
  type MarkImportFormat,
  type MarkVolumeFormat,
} from '../../../shared/markFormats.ts';
import { MARK_KINDS } from '../../../shared/markTraits.ts';
import type { RecoveryBody } from '../../../shared/contract/annotations.ts';
import {
  type ChangedMarksResponse,
  type DeletedMarkResponse,
  type DeletedMarksResponse,
  type ImportedMarksResponse,
  type LabelScheme,
  type MarkBody,
  type MarkStatisticsResponse,
  type MarkJournalResponse,
  type MarkPatch,
  type MarksDeletion,
  type MarksPatch,
  type MarksResponse,
  type WireMark,
} from '../../../shared/contract/marks.ts';
import { HEADER } from '../../../shared/contract/headers.ts';
import { fetchJson, send } from './send.ts';

export const JSON_BODY = { 'Content-Type': 'application/json' };

/** Marks without the ROIs of the specification, which the page holds elsewhere. */
export type MarkChanges = Omit<MarksResponse, 'marks'> & { readonly marks: readonly WireMark[] };

/** What has changed since a revision, or all marks. */
export function fetchMarks(since: number | undefined, signal: AbortSignal): Promise<MarkChanges> {
  const query = since === undefined ? '' : `&since=${since}`;
  return fetchJson(`api/marks?kind=${MARK_KINDS.join()}${query}`, { signal, priority: 'low' });
}

export function fetchMark(id: number, signal: AbortSignal): Promise<WireMark> {
  return fetchJson(`api/mark/${id}`, { signal });
}

export function createMark(body: MarkBody, signal: AbortSignal): Promise<WireMark> {
  return fetchJson('api/marks', { method: 'POST', headers: JSON_BODY, body: JSON.stringify(body), signal });
}

/** Refused as `stale_mark` if the mark has changed since `etag`. */
export function changeMark(id: number, change: MarkPatch, etag: string, signal: AbortSignal): Promise<WireMark> {
  const headers = { ...JSON_BODY, 'If-Match': etag };
  return fetchJson(`api/mark/${id}`, { method: 'PATCH', headers, body: JSON.stringify(change), signal });
}

/** Refused like `changeMark`. */
export function replaceMark(id: number, body: MarkBody, etag: string, signal: AbortSignal): Promise<WireMark> {
  const headers = { ...JSON_BODY, 'If-Match': etag };
  return fetchJson(`api/mark/${id}`, { method: 'PUT', headers, body: JSON.stringify(body), signal });
}

/** The same change of words for many marks: all of them change, or none. */
export function changeMarks(body: MarksPatch, signal: AbortSignal): Promise<ChangedMarksResponse> {
  return fetchJson('api/marks', { method: 'PATCH', headers: JSON_BODY, body: JSON.stringify(body), signal });
}

export function deleteMark(id: number, etag: string, signal: AbortSignal): Promise<DeletedMarkResponse> {
  return fetchJson(`api/mark/${id}`, { method: 'DELETE', headers: { 'If-Match': etag }, signal });
}

/** All of them are deleted, or none. */
export function deleteMarks(body: MarksDeletion, signal: AbortSignal): Promise<DeletedMarksResponse> {
  return fetchJson('api/marks', { method: 'DELETE', headers: JSON_BODY, body: JSON.stringify(body), signal });
}

/** Values of the pixels inside, of a mark on stored frames. */
export function fetchMarkStatistics(id: number, signal: AbortSignal): Promise<MarkStatisticsResponse> {
  return fetchJson(`api/mark/${id}/statistics`, { signal, priority: 'low' });
}

export type StoredScheme = { readonly scheme: LabelScheme; readonly etag: string };

export async function fetchLabels(signal: AbortSignal): Promise<StoredScheme> {
  return readScheme(await send('api/labels', { signal, priority: 'low' }));
}

/** Refused as `stale_labels` if the classes have changed since `etag`. */
export async function replaceLabels(scheme: LabelScheme, etag: string): Promise<StoredScheme> {
  const headers = { ...JSON_BODY, 'If-Match': etag };
  return readScheme(await send('api/labels', { method: 'PUT', headers, body: JSON.stringify(scheme) }));
}

async function readScheme(response: Response): Promise<StoredScheme> {
  return { scheme: await response.json(), etag: response.headers.get('ETag') ?? '' };
}

export function fetchMarkJournal(signal: AbortSignal): Promise<MarkJournalResponse> {
  return fetchJson('api/marks/journal', { signal, priority: 'low' });
}

export function recoverMarks(action: RecoveryBody['action']): Promise<MarkJournalResponse> {
  return fetchJson('api/marks/journal', { method: 'PUT', headers: JSON_BODY, body: JSON.stringify({ action }) });
}

/** All marks with the files that they name. Exported marks are not offered at the next start. */
export async function fetchMarkExport(): Promise<Blob> {
  return (await send('api/marks/export.json')).blob();
}

/** Makes the marks of a file. Those that name no image are on the file with this index. */
export function importMarks(
  file: Blob,
  format: MarkImportFormat,
  fileIndex: number | undefined,
): Promise<ImportedMarksResponse> {
  const on = fileIndex === undefined ? '' : `&file=${fileIndex}`;
  const { accepts, mediaType } = formatOf(format);
  const headers = accepts === undefined ? JSON_BODY : { 'Content-Type': mediaType };
  return fetchJson(`api/marks/import?format=${format}${on}`, { method: 'POST', headers, body: file });
}

/** A file, and what its format cannot hold; empty if that is nothing. */
export type ConvertedMarks = { readonly file: Blob; readonly leftOut: string };

/** Marks in a format of other programs. */
export async function fetchConvertedMarks(format: MarkExportFormat, query: string): Promise<ConvertedMarks> {
  return toConverted(await send(`api/marks/export?format=${format}${query}`));
}

/** The areas on the stack of a file, as pixels. */
export async function fetchMarkVolume(fileIndex: number, format: MarkVolumeFormat): Promise<ConvertedMarks> {
  return toConverted(await send(`api/file/${fileIndex}/volume/marks?format=${format}`));
}

async function toConverted(response: Response): Promise<ConvertedMarks> {
  return { file: await response.blob(), leftOut: response.headers.get(HEADER.marksLeftOut) ?? '' };
}
