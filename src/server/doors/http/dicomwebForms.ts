import { ViewerError } from '../../../shared/contract/errors.ts';
import type { DicomFile } from '../../images/catalog/dicomFile.ts';
import {
  ExplicitVrLittleEndian,
  ImplicitVrLittleEndian,
  mediaTypeOfFrames,
} from '../../standard/dicom/transferSyntax.ts';
import { areSamplesPlain } from '../../images/pixels/codecs/registry.ts';
import { coversType, type MediaRange } from './mediaRanges.ts';

const DICOM = 'application/dicom';
const OCTETS = 'application/octet-stream';

/** The form of stored instances: parts, or one file by itself. Files are sent as they are and never converted. */
export function chooseInstanceForm(
  ranges: readonly MediaRange[],
  files: readonly Pick<DicomFile, 'transferSyntaxUid'>[],
): 'multipart' | 'single' {
  for (const range of ranges) {
    if (!coversType(range, DICOM)) continue;
    const { transferSyntax = '*' } = range;
    if (transferSyntax !== '*' && files.some((file) => file.transferSyntaxUid !== transferSyntax)) continue;
    if (!range.isMultipart && range.type === DICOM && files.length === 1) return 'single';
    if (range.isMultipart || range.type !== DICOM) return 'multipart';
  }
  throw new ViewerError(
    'not_acceptable',
    `instances are sent as they are stored: multipart/related; type="${DICOM}"; transfer-syntax=*`,
  );
}

export type SentFrameForm = {
  readonly isMultipart: boolean;
  /** Whether a compressed frame is sent decoded. */
  readonly isDecoded: boolean;
  readonly isCompressed: boolean;
  /** The media type of the parts, and the same with its transfer syntax. */
  readonly type: string;
  readonly partType: string;
};

/** The form of frames: as stored if the client accepts it, otherwise uncompressed. PS3.18 8.7.3. */
export function chooseFrameForm(ranges: readonly MediaRange[], file: DicomFile, count: number): SentFrameForm {
  const isCompressed = !areSamplesPlain(file.transferSyntaxUid);
  for (const range of ranges) {
    // Several frames need several parts. Without a wish, frames are parts.
    const isMultipart = range.isMultipart || range.type === '*/*';
    if (!isMultipart && count > 1) continue;
    const form = isCompressed ? formOfCompressed(range, file.transferSyntaxUid) : formOfUncompressed(range);
    if (form === undefined) continue;
    const { type, syntax } = form;
    return {
      isMultipart,
      isCompressed,
      isDecoded: syntax !== file.transferSyntaxUid,
      type,
      partType: `${type}; transfer-syntax=${syntax}`,
    };
  }
  throw new ViewerError(
    'not_acceptable',
    `the frames are stored as ${file.transferSyntaxUid}; they are sent so, or as ${OCTETS} in ${ExplicitVrLittleEndian}`,
  );
}

type ChosenForm = { readonly type: string; readonly syntax: string };

function formOfUncompressed(range: MediaRange): ChosenForm | undefined {
  if (!coversType(range, OCTETS) || !takesUncompressed(range)) return undefined;
  return { type: OCTETS, syntax: ExplicitVrLittleEndian };
}

/** The samples of these two syntaxes are the same bytes. */
function takesUncompressed({ transferSyntax = ExplicitVrLittleEndian }: MediaRange): boolean {
  return ['*', ExplicitVrLittleEndian, ImplicitVrLittleEndian].includes(transferSyntax);
}

function formOfCompressed(range: MediaRange, stored: string): ChosenForm | undefined {
  const { transferSyntax } = range;
  const mediaType = mediaTypeOfFrames(stored) ?? OCTETS;
  const isStoredTaken = transferSyntax === '*' || transferSyntax === stored;
  // Viewers ask for octets in any syntax and read the syntax of the part.
  if (range.type === OCTETS && isStoredTaken) return { type: OCTETS, syntax: stored };
  if (coversType(range, mediaType) && (isStoredTaken || (transferSyntax === undefined && range.type !== '*/*'))) {
    return { type: mediaType, syntax: stored };
  }
  return formOfUncompressed(range);
}
