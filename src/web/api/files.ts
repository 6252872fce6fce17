import type {
  AttachmentChoice,
  AttachmentMatchesResponse,
  AttachmentsResponse,
} from '../../shared/contract/attachments.ts';
import type { FilesResponse, NotShownResponse, SkipReason } from '../../shared/contract/files.ts';
import type { InfoResponse } from '../../shared/contract/info.ts';
import type { ReferencedByResponse, ReferencesResponse } from '../../shared/contract/references.ts';
import type { SemanticContextResponse } from '../../shared/contract/semantics.ts';
import type { SeriesResponse } from '../../shared/contract/series.ts';
import type { FlipAxis } from '../../shared/flipAxes.ts';
import { type FilesPage, filesPath } from '../../shared/filesPath.ts';
import { fetchJson, send } from './send.ts';

export function fetchFiles(page: FilesPage, signal: AbortSignal): Promise<FilesResponse> {
  return fetchJson(filesPath(page), { signal });
}

/** Files that are not shown for one reason, from this one on. */
export function fetchNotShown(
  reason: SkipReason,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<NotShownResponse> {
  return fetchJson(`api/not-shown?reason=${reason}&offset=${offset}&limit=${limit}`, { signal });
}

export function fetchSeries(signal: AbortSignal): Promise<SeriesResponse> {
  return fetchJson('api/series', { signal });
}

/** Model output beside the files, from this one on. */
export function fetchAttachments(since: number, signal: AbortSignal): Promise<AttachmentsResponse> {
  return fetchJson(`api/attachments?since=${since}`, { signal });
}

/** The stacks that an attachment fits. */
export function fetchMatches(attachment: number, signal: AbortSignal): Promise<AttachmentMatchesResponse> {
  return fetchJson(`api/attachment/${attachment}/matches`, { signal });
}

/** Lays an attachment over the stack of a frame that it fits; an undefined file leaves the decision to the server. */
export async function chooseStack(
  attachment: number,
  {
    file,
    frame,
    order,
    flips,
  }: Omit<AttachmentChoice, 'file' | 'flips'> & {
    readonly file: number | undefined;
    readonly flips: readonly FlipAxis[];
  },
): Promise<void> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ file: file ?? null, frame, order, flips });
  await send(`api/attachment/${attachment}/stack`, { method: 'PUT', headers, body });
}

export function fetchInfo(fileIndex: number, signal: AbortSignal): Promise<InfoResponse> {
  return fetchJson(`api/file/${fileIndex}/info`, { signal });
}

/** What the pixel values of a segmentation, parametric map or dose mean. */
export function fetchContext(fileIndex: number, signal: AbortSignal): Promise<SemanticContextResponse> {
  return fetchJson(`api/file/${fileIndex}/semantic-context`, { signal });
}

/** The objects that a file refers to. */
export function fetchReferences(fileIndex: number, signal: AbortSignal): Promise<ReferencesResponse> {
  return fetchJson(`api/file/${fileIndex}/references`, { signal });
}

/** The objects that refer to a file. */
export function fetchReferencedBy(fileIndex: number, signal: AbortSignal): Promise<ReferencedByResponse> {
  return fetchJson(`api/file/${fileIndex}/referenced-by`, { signal });
}
