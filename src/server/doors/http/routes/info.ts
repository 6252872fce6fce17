import type { InfoResponse } from '../../../../shared/contract/info.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import { type FileInfo, readInfoTask } from '../../../images/catalog/infoTask.ts';
import { stateOf } from '../../../bytes/origins/origins.ts';
import { createKeptWork } from '../../../images/pixels/keptWork.ts';
import { parsePathNumber } from '../parseRequest.ts';
import { sendJsonBytes } from '../sendJson.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

export function infoRoutes({ catalog, tasks, memory }: ServerContext) {
  const kept = createKeptWork({
    cache: memory.cache<Uint8Array<ArrayBuffer>>('info'),
    bytesOf: ({ length }) => length,
  });
  const encoder = new TextEncoder();
  const info: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { value } = await kept.get(await stateOf(file.source), { signal: c.signal }, async (signal) => {
      const pixelInfo = await tasks.run(readInfoTask, file.source, { of: file, signal });
      return encoder.encode(JSON.stringify(toInfoResponse(file, pixelInfo)));
    });
    return sendJsonBytes(c, value);
  };
  return { info };
}

function toInfoResponse(file: DicomFile, pixels: FileInfo): InfoResponse {
  return {
    frame_count: file.frameCount,
    rows: file.rows,
    columns: file.columns,
    transfer_syntax_uid: file.transferSyntaxUid,
    has_pixels: file.hasPixels,
    sop_class_uid: file.sopClassUid,
    object_kind: file.objectKind,
    support_state: file.supportState,
    support_reason: file.supportReason ?? null,
    default_window: file.defaultWindow ?? null,
    samples_per_pixel: file.samplesPerPixel,
    bits_allocated: file.bitsAllocated,
    bits_stored: file.bitsStored,
    high_bit: pixels.highBit,
    pixel_representation: pixels.pixelRepresentation,
    photometric_interpretation: file.photometricInterpretation,
    planar_configuration: pixels.planarConfiguration ?? null,
    pixel_aspect_ratio: file.pixelAspectRatio ?? null,
    pixel_spacing_mm: file.pixelSpacingMm === undefined ? null : [...file.pixelSpacingMm],
    rescale: { ...pixels.rescale, type: pixels.rescale.type ?? null },
    windows: pixels.windows.map((window) => ({ ...window, explanation: window.explanation ?? null })),
    voi_lut_function: pixels.voiLutFunction,
    frame_time_ms: pixels.frameTimeMs ?? null,
    lossy: pixels.lossy,
    warnings: [...pixels.warnings],
  };
}
