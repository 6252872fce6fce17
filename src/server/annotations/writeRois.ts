import { PIECE_LENGTH } from './inPieces.ts';
import { countFrames, countRois, type PackedRois } from './packedRois.ts';

/** The JSON of a payload, in pieces. */
export function* writePayload(rois: PackedRois): Generator<string> {
  yield `{"num_roi":${countRois(rois)},"roi_coords":`;
  yield* writeCoords(rois);
  yield ',"roi_frames":';
  yield* writeFrames(rois);
  yield '}';
}

/** The JSON of `roi_coords`, in pieces. */
export function* writeCoords({ coords }: PackedRois): Generator<string> {
  let piece = '[';
  for (let at = 0; at < coords.length; at += 4) {
    piece += `${at === 0 ? '' : ','}[${coords[at]},${coords[at + 1]},${coords[at + 2]},${coords[at + 3]}]`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

/** The JSON of `roi_frames`, in pieces. */
export function* writeFrames(rois: PackedRois): Generator<string> {
  const { frameStarts, frames } = rois;
  const boxes = countFrames(rois) === 0 ? 0 : countRois(rois);
  let piece = '[';
  for (let box = 0; box < boxes; box += 1) {
    piece += box === 0 ? '[' : ',[';
    const first = frameStarts[box] ?? 0;
    const end = frameStarts[box + 1] ?? 0;
    for (let at = first; at < end; at += 1) {
      piece += at === first ? `${frames[at]}` : `,${frames[at]}`;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
    piece += ']';
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}
