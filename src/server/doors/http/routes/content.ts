import { ENDPOINTS } from '../../../../shared/contract/endpoints.ts';
import { ViewerError } from '../../../../shared/contract/errors.ts';
import { HEADER } from '../../../../shared/contract/headers.ts';
import { findContentTask } from '../../../say/documents/content/contentTasks.ts';
import type { ContentFormat } from '../../../say/documents/content/sniffContent.ts';
import { readNarrativeMediumTask, readNarrativeTask } from '../../../say/documents/cda/narrativeTasks.ts';
import { readMeshTask } from '../../../say/documents/mesh/meshTask.ts';
import type { VideoFormat } from '../../../say/documents/video/sniffVideo.ts';
import { findVideoTask, type StreamFacts } from '../../../say/documents/video/videoTasks.ts';
import { closeObject } from '../../../machine/workers/jsonPieces.ts';
import { DEFAULT_MOST_TRIANGLES } from '../../../../shared/contract/documentTerms.ts';
import { placeOf } from '../../../bytes/origins/origins.ts';
import type { HeaderList } from '../answer.ts';
import { nameDownload } from '../nameDownload.ts';
import { parsePathNumber, parseQuery } from '../parseRequest.ts';
import { SANDBOXED } from '../securityHeaders.ts';
import { createSendBytes } from '../sendBytes.ts';
import { sendJsonTexts } from '../sendJson.ts';
import { createSendStored } from '../sendStored.ts';
import type { Handler, ServerContext } from '../serverContext.ts';

/** XML is not here: a browser would show it as a page, with its style sheets and scripts. */
const MEDIA_TYPES: Readonly<Partial<Record<ContentFormat, string>>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  stl: 'model/stl',
};

/** The viewer of the browser is an object of the page, whose styles are inline. */
const PDF_VIEWER_POLICY =
  "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const VIDEO_EXTENSIONS: Readonly<Record<VideoFormat, string>> = {
  mp4: '.mp4',
  ts: '.ts',
  mpeg2: '.mpg',
  h264: '.h264',
  hevc: '.h265',
  unknown: '.bin',
};

/** Why a stream does not play, in a sentence after which it can be saved. */
const UNPLAYABLE: Readonly<Partial<Record<VideoFormat, string>>> = {
  mpeg2: 'the video is MPEG-2, which no browser plays; it can be saved',
  hevc: 'the video is a bare HEVC stream, which no browser plays; it can be saved',
  unknown: 'the stream is no MP4 file, transport stream or bare H.264; it can be saved',
};

/** The files and videos that objects encapsulate. */
export function contentRoutes({ catalog, documents, memory, tasks }: ServerContext) {
  const sendStored = createSendStored({ memory, tasks });
  const sendBytes = createSendBytes(memory.answers);
  const content: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { as = 'save' } = parseQuery(ENDPOINTS.content.query, c);
    const asked = { isViewed: as === 'view' };
    const { value, format, extension } = await documents.run(findContentTask, file, asked, { signal: c.signal });
    const name = nameDownload(placeOf(file.source), extension);
    return sendStored(c, file.source, value, [
      ['Content-Type', MEDIA_TYPES[format] ?? ENDPOINTS.content.mediaType],
      ['Content-Disposition', `${as === 'view' ? 'inline' : 'attachment'}; filename="${name}"`],
      ['Content-Security-Policy', as === 'view' ? PDF_VIEWER_POLICY : SANDBOXED],
    ]);
  };
  const video: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { as = 'play' } = parseQuery(ENDPOINTS.video.query, c);
    const found = await documents.run(findVideoTask, file, {}, { signal: c.signal });
    const { format, places } = found;
    if (as === 'save') {
      const name = nameDownload(placeOf(file.source), VIDEO_EXTENSIONS[format]);
      return sendStored(c, file.source, { places }, [
        ['Content-Type', format === 'mp4' ? ENDPOINTS.video.mediaType : ENDPOINTS.video.otherMediaType],
        ['Content-Disposition', `attachment; filename="${name}"`],
        ['Content-Security-Policy', SANDBOXED],
      ]);
    }
    const reason = UNPLAYABLE[format];
    if (reason !== undefined) throw new ViewerError('unsupported_video', reason);
    const packed = format === 'mp4' ? undefined : await documents.packVideo(file, found, { signal: c.signal });
    return sendStored(c, file.source, packed === undefined ? { places } : packed, [
      ['Content-Type', ENDPOINTS.video.mediaType],
      ['Content-Security-Policy', SANDBOXED],
      ...streamHeaders(packed ?? found),
    ]);
  };
  const narrative: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { json } = await documents.run(readNarrativeTask, file, {}, { signal: c.signal });
    return sendJsonTexts(c, [json, closeObject({ file_index: file.index })]);
  };
  const narrativeMedium: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const query = { medium: parsePathNumber(c, 'medium') };
    const { bytes, mediaType } = await documents.run(readNarrativeMediumTask, file, query, { signal: c.signal });
    return sendBytes(c, bytes, [
      ['Content-Type', mediaType],
      ['Content-Disposition', `attachment; filename="medium.${mediaType.replace(/.*\//, '')}"`],
      ['Content-Security-Policy', SANDBOXED],
    ]);
  };
  const mesh: Handler = async (c) => {
    const file = catalog.get(parsePathNumber(c, 'index'));
    const { most = DEFAULT_MOST_TRIANGLES } = parseQuery(ENDPOINTS.mesh.query, c);
    const { bytes, points, triangles } = await documents.run(readMeshTask, file, { most }, { signal: c.signal });
    return sendBytes(c, bytes, [
      ['Content-Type', ENDPOINTS.mesh.mediaType],
      [HEADER.meshPoints, points],
      [HEADER.meshTriangles, triangles],
    ]);
  };
  return { content, video, narrative, narrativeMedium, mesh };
}

function streamHeaders({ codec, frames, frameTimeMs }: StreamFacts): HeaderList {
  return [
    ...(codec === undefined ? [] : [[HEADER.videoCodec, codec] as const]),
    ...(frames === undefined ? [] : [[HEADER.videoFrames, frames] as const]),
    ...(frameTimeMs === undefined ? [] : [[HEADER.videoFrameTime, frameTimeMs] as const]),
  ];
}
