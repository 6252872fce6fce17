import { ENDPOINTS } from '../../../shared/contract/endpoints.ts';
import type { FileRecord, FilesResponse } from '../../../shared/contract/files.ts';
import type { ImportState } from '../../annotations/startImport.ts';
import type { DicomFile } from '../../catalog/dicomFile.ts';
import { parseQuery } from '../parseQuery.ts';
import { sendJsonPieces } from '../sendJson.ts';
import type { ServerContext } from '../serverContext.ts';
import type { Handler } from './handler.ts';

/** Records written at once: about a millisecond of work. */
const SLICE = 128;

export function filesRoutes({ catalog, startedAtMs, tunnelHost, annotations, demoProgress }: ServerContext) {
  const files: Handler = (c) => {
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
      revision: snapshot.revision,
      more: snapshot.more,
      reset: snapshot.reset,
      annotations: toImportState(annotations.importState()),
      making_demo: demoProgress?.() ?? null,
    };
    return sendJsonPieces(c, writeFiles(snapshot.files, around));
  };
  return { files };
}

function* writeFiles(files: readonly DicomFile[], around: Omit<FilesResponse, 'files'>): Generator<string> {
  yield '{"files":[';
  for (let start = 0; start < files.length; start += SLICE) {
    const records = files.slice(start, start + SLICE).map((file) => JSON.stringify(toFileRecord(file)));
    yield (start === 0 ? '' : ',') + records.join(',');
  }
  yield `],${JSON.stringify(around).slice(1)}`;
}

function toImportState(current: ImportState): FilesResponse['annotations'] {
  return { import_state: current.state, error: current.state === 'failed' ? current.message : null };
}

function toFileRecord(file: DicomFile): FileRecord {
  return {
    index: file.index,
    path: file.path,
    label: file.label,
    patient_id: file.patientId,
    patient_name: file.patientName,
    study_instance_uid: file.studyInstanceUid,
    study_date: file.studyDate,
    study_description: file.studyDescription,
    series_instance_uid: file.seriesInstanceUid,
    series_number: file.seriesNumber,
    series_description: file.seriesDescription,
    modality: file.modality,
    instance_number: file.instanceNumber,
    sop_instance_uid: file.sopInstanceUid,
    sop_class_uid: file.sopClassUid,
    sop_class_name: file.sopClassName ?? null,
    object_kind: file.objectKind,
    support_state: file.supportState,
    support_reason: file.supportReason ?? null,
    has_pixels: file.hasPixels,
    burned_in_annotation: file.burnedInAnnotation,
    frame_count: file.frameCount,
    rows: file.rows,
    columns: file.columns,
    samples_per_pixel: file.samplesPerPixel,
    bits_allocated: file.bitsAllocated,
    bits_stored: file.bitsStored,
    photometric_interpretation: file.photometricInterpretation,
    pixel_aspect_ratio: file.pixelAspectRatio ?? null,
    pixel_spacing_mm: file.pixelSpacingMm === undefined ? null : [...file.pixelSpacingMm],
    pixel_spacing_source: file.pixelSpacingSource ?? null,
    transfer_syntax_uid: file.transferSyntaxUid,
    transfer_syntax_name: file.transferSyntaxName,
    frame_of_reference_uid: file.frameOfReferenceUid ?? null,
    default_window: file.defaultWindow ?? null,
    file_bytes: file.fileBytes,
    revision: file.revision,
  };
}
