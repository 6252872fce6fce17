import { ViewerError } from '../../../../shared/contract/errors.ts';
import { DICOMWEB_ROOT, type DicomwebName } from '../../../../shared/contract/dicomweb.ts';
import { chooseOpeningFrame } from '../../../../shared/openingFrame.ts';
import type { DicomFile } from '../../../images/catalog/dicomFile.ts';
import type { Dicomweb, Named } from '../../dicomweb/dicomweb.ts';
import { parseSearch } from '../../dicomweb/parseSearch.ts';
import type { SearchLevel } from '../../dicomweb/search.ts';
import type { StoredValue } from '../../../say/documents/storedValue.ts';
import { type FileStream, findRedactions, type KnownSource } from '../../../bytes/origins/origins.ts';
import { frameBytesOf } from '../../../standard/dicom/readCost.ts';
import { nameDownload } from '../nameDownload.ts';
import type { Exchange } from '../exchange.ts';
import { coversType, type MediaRange, parseMediaRanges } from '../mediaRanges.ts';
import { chooseFrameForm, chooseInstanceForm } from '../dicomwebForms.ts';
import { parseRendering } from '../parseRendering.ts';
import { createHoldAnswer } from '../sendBytes.ts';
import { sendPieces } from '../sendJson.ts';
import { type RelatedPart, sendOnePart, sendParts } from '../sendParts.ts';
import { createSendStored, readPlaces } from '../sendStored.ts';
import { streamDicom } from '../streamDicom.ts';
import { SANDBOXED } from '../securityHeaders.ts';
import type { Handler, ServerContext } from '../serverContext.ts';
import { RequestOptions } from './frames.ts';

/** The resources of DICOMweb, read only: QIDO-RS and WADO-RS. PS3.18 chapter 10. */
export function dicomwebRoutes(
  { frames, memory, tasks, basePath }: ServerContext,
  dicomweb: Dicomweb,
): { readonly [Name in DicomwebName]: Handler } {
  const rootOf = (c: Exchange) => addressOf(c) + basePath + DICOMWEB_ROOT;
  const holdAnswer = createHoldAnswer(memory.answers);
  const sendStored = createSendStored({ memory, tasks });

  const searchFor =
    (level: SearchLevel): Handler =>
    async (c) => {
      const headers = jsonHeaders(c);
      const query = parseSearch(c.query);
      const options = { root: rootOf(c), signal: c.signal };
      const { records, warnings } = await dicomweb.search(level, namedBy(c), query, options);
      for (const warning of warnings) warn(c, warning);
      return sendPieces(c, writeList(records), headers);
    };

  const metadata: Handler = async (c) => {
    const headers = jsonHeaders(c);
    const found = await dicomweb.find(namedBy(c));
    const files = await listPresent(c, found);
    return sendPieces(c, wrapList(dicomweb.metadata(files, { root: rootOf(c), signal: c.signal })), headers);
  };

  /** Files that have gone since the scan are left out, and the client is told. */
  const listPresent = async (c: Exchange, files: readonly DicomFile[]): Promise<readonly DicomFile[]> => {
    // A single file that has gone is the error of the request.
    if (files.length === 1) return files;
    const present = await dicomweb.listPresent(files);
    if (present.length < files.length) warn(c, `${files.length - present.length} instances are no longer there`);
    return present;
  };

  const instances: Handler = async (c) => {
    const found = await dicomweb.find(namedBy(c));
    const form = chooseInstanceForm(rangesOf(c), found);
    if (form === 'single') {
      const [file] = found;
      if (file === undefined) throw new ViewerError('not_found', 'no such instance is open');
      const places = { starts: Float64Array.of(0), ends: Float64Array.of(file.fileBytes) };
      return sendStored(c, file.source, { places }, [
        ['Content-Type', DICOM],
        ['Content-Disposition', `attachment; filename="${nameDownload(file.sopInstanceUid)}"`],
        ['Content-Security-Policy', SANDBOXED],
      ]);
    }
    const present = await listPresent(c, found);
    const whole = present.filter(({ source }) => findRedactions(source) === undefined);
    if (present.length > 0 && whole.length === 0)
      throw new ViewerError('masked', 'parts of all instances are redacted');
    if (whole.length < present.length) warn(c, `${present.length - whole.length} instances are redacted and not sent`);
    return sendParts(
      c,
      DICOM,
      instanceParts(whole, (source) => streamDicom(tasks, source, c.signal)),
    );
  };

  const frameList: Handler = async (c) => {
    const [file] = await dicomweb.find(namedBy(c));
    if (file === undefined) throw new ViewerError('not_found', 'no such instance is open');
    const numbers = parseFrameList(c.parameters['frames'] ?? '');
    const form = chooseFrameForm(rangesOf(c), file, numbers.length);
    const options = new RequestOptions(c);
    const readPart = async (number: number): Promise<RelatedPart & { readonly body: Uint8Array }> => {
      const frame = number - 1;
      // Uncompressed frames are read as they are: decoding would unpack bits and interleave planes.
      const { bytes } =
        form.isDecoded && form.isCompressed
          ? await frames.raw(file, frame, options)
          : await frames.encoded(file, frame, options);
      return { mediaType: form.partType, body: bytes };
    };
    await holdAnswer(c, frameBytesOf(file));
    if (!form.isMultipart) {
      const { body } = await readPart(numbers[0]!);
      return c.send(
        200,
        [
          ['Content-Type', form.partType],
          ['Content-Security-Policy', SANDBOXED],
        ],
        body,
      );
    }
    const [only, ...others] = numbers;
    if (only !== undefined && others.length === 0) return sendOnePart(c, form.type, await readPart(only));
    return sendParts(c, form.type, mapParts(numbers, readPart));
  };

  const render =
    ({ isThumbnail }: { readonly isThumbnail: boolean }): Handler =>
    async (c) => {
      const file = chooseShown(await dicomweb.find(namedBy(c)));
      if (file === undefined) throw new ViewerError('no_pixel_data', 'nothing of it can be drawn');
      const { frames: list } = c.parameters;
      const numbers = list === undefined ? [chooseOpeningFrame(file) + 1] : parseFrameList(list);
      const { isMultipart, format, quality, ignored, ...choice } = parseRendering(c.query, rangesOf(c), file, {
        isThumbnail,
      });
      if (numbers.length > 1 && !isMultipart) throw notAcceptable('several frames are sent as multipart/related');
      if (ignored.length > 0) warn(c, `These parameters are not supported: ${ignored.join(', ')}`);
      const options = new RequestOptions(c);
      const jpegQuality = format === 'jpeg' ? quality : undefined;
      const mediaType = `image/${format}`;
      const readPart = async (number: number) => {
        const { bytes } = await frames.thumbnail(file, number - 1, { ...choice, jpegQuality }, options);
        return { mediaType, body: bytes };
      };
      if (isMultipart) return sendParts(c, mediaType, mapParts(numbers, readPart));
      const { body } = await readPart(numbers[0]!);
      await holdAnswer(c, body.length);
      return c.send(200, [['Content-Type', mediaType]], body);
    };

  const bulkdata: Handler = async (c) => {
    const [file] = await dicomweb.find(namedBy(c));
    if (file === undefined) throw new ViewerError('not_found', 'no such instance is open');
    const range = rangesOf(c).find((each) => coversType(each, OCTETS));
    if (range === undefined) throw notAcceptable(`bulk data is ${OCTETS}`);
    const value = await dicomweb.bulk(file, c.parameters['path'] ?? '', c.signal);
    if (!range.isMultipart) {
      return sendStored(c, file.source, value, [
        ['Content-Type', OCTETS],
        ['Content-Security-Policy', SANDBOXED],
      ]);
    }
    return sendParts(
      c,
      OCTETS,
      valuePart(file, value, (source) => streamDicom(tasks, source, c.signal)),
    );
  };

  return {
    searchStudies: searchFor('study'),
    searchSeries: searchFor('series'),
    searchInstances: searchFor('instance'),
    searchSeriesOfStudy: searchFor('series'),
    searchInstancesOfStudy: searchFor('instance'),
    searchInstancesOfSeries: searchFor('instance'),
    metadataOfStudy: metadata,
    metadataOfSeries: metadata,
    metadataOfInstance: metadata,
    retrieveStudy: instances,
    retrieveSeries: instances,
    retrieveInstance: instances,
    retrieveFrames: frameList,
    renderedInstance: render({ isThumbnail: false }),
    renderedFrames: render({ isThumbnail: false }),
    thumbnailOfStudy: render({ isThumbnail: true }),
    thumbnailOfSeries: render({ isThumbnail: true }),
    thumbnailOfInstance: render({ isThumbnail: true }),
    thumbnailOfFrames: render({ isThumbnail: true }),
    retrieveBulkData: bulkdata,
  };
}

/** The file that stands for a study or a series: the middle one of those that have a picture. */
function chooseShown(files: readonly DicomFile[]): DicomFile | undefined {
  if (files.length === 1) return files[0];
  const pictures = files.filter(({ supportState }) => supportState === 'renderable');
  return pictures[Math.floor(pictures.length / 2)];
}

const DICOM = 'application/dicom';
const OCTETS = 'application/octet-stream';
const DICOM_JSON = 'application/dicom+json';
const JSON_TYPE = 'application/json';

function namedBy({ parameters }: Exchange): Named {
  return { study: parameters['study'], series: parameters['series'], instance: parameters['instance'] };
}

/** The address of the server as the client knows it: by the host name that it uses, which the gate has checked. */
function addressOf(c: Exchange): string {
  const isEncrypted = c.header('x-forwarded-proto')?.trim().toLowerCase() === 'https';
  return `${isEncrypted ? 'https' : 'http'}://${c.header('host') ?? 'localhost'}`;
}

/** The parameter `accept` is for clients that cannot set the header. PS3.18 8.3.3.1. */
function rangesOf(c: Exchange): readonly MediaRange[] {
  const inQuery = new URLSearchParams(c.query).getAll('accept');
  return parseMediaRanges(inQuery.length > 0 ? inQuery.join(',') : c.header('accept'));
}

function jsonHeaders(c: Exchange) {
  for (const range of rangesOf(c)) {
    const type = [DICOM_JSON, JSON_TYPE].find((each) => coversType(range, each));
    if (type !== undefined && !range.isMultipart) return [['Content-Type', type]] as const;
  }
  throw notAcceptable(`this is answered as ${DICOM_JSON}`);
}

function notAcceptable(message: string): ViewerError {
  return new ViewerError('not_acceptable', message);
}

/** RFC 7234 5.5, as PS3.18 uses it. The texts are ours, without anything of a request that could end the header. */
function warn(c: Exchange, text: string): void {
  c.setHeader('Warning', `299 negato "${text}"`);
}

const encoder = new TextEncoder();
/** Records are joined up to this length. */
const PIECE_LENGTH = 64 * 1024;

async function* writeList(records: AsyncGenerator<string, void>): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let piece = '[';
  let separator = '';
  for await (const record of records) {
    piece += separator + record;
    separator = ',';
    if (piece.length < PIECE_LENGTH) continue;
    yield encoder.encode(piece);
    piece = '';
  }
  yield encoder.encode(`${piece}]`);
}

async function* wrapList(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let start = '[';
  for await (const piece of pieces) {
    yield encoder.encode(start);
    yield piece;
    start = ',';
  }
  yield encoder.encode(start === '[' ? '[]' : ']');
}

type OpenStored = (source: KnownSource) => Promise<FileStream>;

async function* instanceParts(files: readonly DicomFile[], open: OpenStored): AsyncGenerator<RelatedPart, void> {
  for (const { source, fileBytes, transferSyntaxUid } of files) {
    const stream = await open(source);
    try {
      const mediaType = `${DICOM}; transfer-syntax=${transferSyntaxUid}`;
      yield { mediaType, body: stream.bytes({ start: 0, end: fileBytes }) };
    } finally {
      await stream.close();
    }
  }
}

async function* valuePart(
  { source }: DicomFile,
  value: StoredValue,
  open: OpenStored,
): AsyncGenerator<RelatedPart, void> {
  if ('bytes' in value) yield { mediaType: OCTETS, body: value.bytes };
  else {
    const stream = await open(source);
    try {
      yield { mediaType: OCTETS, body: readPlaces(stream, value.places) };
    } finally {
      await stream.close();
    }
  }
}

async function* mapParts(numbers: readonly number[], read: (number: number) => Promise<RelatedPart>) {
  for (const number of numbers) yield await read(number);
}

/** `1,2,7`: in any order, each once. PS3.18 10.4.1.1.6. */
function parseFrameList(text: string): readonly number[] {
  const numbers = text.split(',').map((part) => (/^[1-9]\d{0,9}$/.test(part) ? Number(part) : undefined));
  if (numbers.includes(undefined)) {
    throw new ViewerError('invalid_path', 'frames are numbers from 1 on, separated by commas');
  }
  if (new Set(numbers).size < numbers.length) throw new ViewerError('invalid_path', 'a frame is given twice');
  return numbers.flatMap((number) => number ?? []);
}
