import type { ByteCache } from '../../../../shared/byteCache.ts';
import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { listFields } from '../../../../shared/contract/fileFields.ts';
import type { FilesResponse, NotShownResponse } from '../../../../shared/contract/files.ts';
import type { ImportProgress } from '../../../work/annotations/startImport.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { listEmptyFields } from '../../../images/catalog/emptyElements.ts';
import { isMasked } from '../../../bytes/masking/masker.ts';
import { closeObject, writeArray } from '../../../machine/workers/jsonPieces.ts';
import { parseQuery } from '../parseRequest.ts';
import { encodePieces, type KeptJson, sendJson, sendKeptJson } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** Of the files that are not shown. */
const MOST_AT_ONCE = 1_000;

export function filesRoutes(
  { catalog, startedAtMs, tunnelHost, annotations, demoProgress, overlays, review }: ServerContext,
  kept: ByteCache<KeptJson>,
) {
  const files: Handler = async (c) => {
    const query = parseQuery(ENDPOINTS.files.query, c);
    const snapshot = catalog.snapshot(query);
    const forwardedFrom = tunnelHost?.();
    const around: Omit<FilesResponse, 'files'> = {
      discovery: [...snapshot.discovery],
      tunnelled: forwardedFrom !== undefined,
      tunnel_host: forwardedFrom ?? null,
      server_start_ms: startedAtMs,
      scan_complete: snapshot.scanComplete,
      scanned: snapshot.scanned,
      skipped: snapshot.skipped,
      filtered: snapshot.filtered,
      not_shown: Object.fromEntries(catalog.skippedByReason()),
      gone: [...snapshot.goneFiles],
      attachments: catalog.attachments.length,
      overlays: overlays.count,
      revision: snapshot.revision,
      more: snapshot.more,
      reset: snapshot.reset,
      annotations: toImportState(annotations.importState()),
      masked: isMasked(),
      ...(review !== undefined && { review: review.isBlind ? 'blind' : 'open' }),
      making_demo: demoProgress?.() ?? null,
    };
    const key = snapshot.scanComplete ? `files ${JSON.stringify([query, around])}` : undefined;
    return sendKeptJson(c, { kept, key }, () => encodePieces(writeFiles(snapshot.files, around)));
  };
  const notShown: Handler = (c) => {
    const { reason, offset = 0, limit = MOST_AT_ONCE } = parseQuery(ENDPOINTS.notShown.query, c);
    const { entries, total, unlisted } = catalog.notShown({ reason, offset, limit: Math.min(limit, MOST_AT_ONCE) });
    const body: NotShownResponse = {
      entries: [...entries],
      total,
      unlisted,
      missing: catalog.skippedByReason().get('media_file_missing') ?? 0,
      scan_complete: catalog.progress.scanComplete,
    };
    return sendJson(c, body);
  };
  return { files, notShown };
}

function* writeFiles(files: readonly DicomFile[], around: Omit<FilesResponse, 'files'>): Generator<string> {
  yield '{"files":';
  yield* writeArray(files, createRecordWriter());
  yield closeObject(around);
}

function toImportState(current: ImportProgress): FilesResponse['annotations'] {
  return { import_state: current.state, error: current.state === 'failed' ? current.message : null };
}

const WIRE_FIELDS = listFields().flatMap(({ name, wireName, isInternal }) =>
  isInternal ? [] : [{ name, key: `,"${wireName}":` }],
);

/**
 * Creates a function that serializes files as FileRecord JSON. Most fields equal those of the previous file, so their
 * JSON is reused.
 */
function createRecordWriter(): (file: DicomFile) => string {
  const fields = WIRE_FIELDS.map(({ name, key }) => ({ name, key, last: NEVER, json: '' }));
  return (file) => {
    let record = `{"index":${file.index}`;
    for (const field of fields) {
      const value: unknown = file[field.name];
      if (value !== field.last) {
        field.last = value;
        field.json = field.key + JSON.stringify(value ?? null);
      }
      record += field.json;
    }
    const empty =
      file.emptyElements === 0 ? '' : `,"empty_fields":${JSON.stringify(listEmptyFields(file.emptyElements))}`;
    return `${record}${empty},"revision":${file.revision}}`;
  };
}

/** Differs from every value of a field. */
const NEVER: unknown = Symbol('never');
