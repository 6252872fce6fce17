import { HEADER } from '../../../shared/contract/headers.ts';
import { toRescale } from '../../../shared/modality.ts';
import {
  type FrameAddress,
  type FrameRequestOptions,
  fetchPicture,
  fetchPreview,
  fetchRawFrame,
  fetchSource,
  type PictureAnswer,
  type RawAnswer,
} from '../../kit/api/frames.ts';
import { fetchRawPlane } from '../../kit/api/volumes.ts';
import type { FrameWish, PlaneForm } from './frameLoader.ts';
import type { GrayFrame, LoadedFrame, PictureFrame, UsedPlaces } from './loadedFrame.ts';
import { parseRawFrame } from './parseRawFrame.ts';
import { restoreSamples } from './restoreSamples.ts';

/** Fetches and decodes one frame. */
export async function loadFrame(wish: FrameWish, options: FrameRequestOptions): Promise<LoadedFrame> {
  switch (wish.form.kind) {
    case 'raw':
      return toGrayFrame(await fetchRawFrame(wish, options));
    case 'plane':
      return loadPlane(wish, wish.form, options);
    case 'picture':
      return toPictureFrame(await fetchPicture(wish, wish.form, options));
    case 'source':
      return loadSource(wish, options);
    case 'own':
      return wish.form.load(options);
    case 'preview':
      return toPictureFrame(await fetchPreview(wish, wish.form, options), { isPreview: true });
  }
}

async function loadPlane(
  address: FrameAddress,
  { query, step, partial, toFrameValue }: PlaneForm,
  options: FrameRequestOptions,
): Promise<GrayFrame> {
  const isPartial = partial !== undefined;
  const answer = await fetchRawPlane(address, isPartial ? `${query}&partial=true` : query, options);
  const places = parsePlaces(answer.headers.get(HEADER.planePlaces));
  // What is kept as the exact picture must be made of all slices.
  if (!isPartial && places.used < places.needed) throw new Error('the server left out slices of the plane');
  const frame = { ...(await toGrayFrame(answer)), coarseness: step, places: isPartial ? places : undefined };
  const { modality, voi } = frame;
  if (modality.kind !== 'rescale' || toFrameValue === 1) return frame;
  const { slope, intercept } = modality;
  const windows = voi.windows.map(({ center, width }) => ({
    center: center * toFrameValue,
    width: width * toFrameValue,
  }));
  return {
    ...frame,
    modality: toRescale(slope * toFrameValue, intercept * toFrameValue),
    voi: { ...voi, windows },
  };
}

function parsePlaces(text: string | null): UsedPlaces {
  const [used = 0, needed = 0] = text?.split('/').map(Number) ?? [];
  return { used, needed };
}

async function toGrayFrame({ headers, bytes }: RawAnswer): Promise<GrayFrame> {
  const frame = parseRawFrame(headers, bytes);
  if (frame === undefined) throw new Error('the file declares gray levels, but the samples are not gray');
  if (headers.get(HEADER.filter) === 'predicted') await restoreSamples(frame);
  return frame;
}

async function loadSource(address: FrameAddress, options: FrameRequestOptions): Promise<PictureFrame> {
  const answer = await fetchSource(address, options);
  try {
    return await toPictureFrame(answer);
  } catch {
    // The browser cannot decode this stream; the server decodes it, or reports what is wrong with it.
    return toPictureFrame(await fetchPicture(address, { choice: { kind: 'default' } }, options));
  }
}

async function toPictureFrame(
  { picture, window, damage, outOfRange }: PictureAnswer,
  { isPreview } = { isPreview: false },
): Promise<PictureFrame> {
  const bitmap = await createImageBitmap(picture);
  const [rows, columns] = [bitmap.height, bitmap.width];
  return { kind: 'picture', rows, columns, bitmap, window, isPreview, damage, outOfRange };
}
