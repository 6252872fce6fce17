import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { encodeMask } from '../../../../shared/maskRuns.ts';
import type { FrameAddress } from '../../../kit/api/frames.ts';
import { fetchPacket } from '../../../kit/api/layers.ts';
import type { LayerPainter } from '../../../over/layers/layerPainter.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { ViewStack } from '../../../kit/state/stacks.ts';
import { frameKey } from '../sync/markForm.ts';
import { changeMasks, createBrushMark } from './brushes.ts';

/** Requests at a time. */
const AT_ONCE = 4;

export type LayerPartName = {
  readonly layer: number;
  readonly part: number;
  readonly name: string;
  /** Reads the packets of the layer. */
  readonly painter: LayerPainter;
};

/**
 * Makes a mask that has the pixels of one part of a layer on these frames of a stack, such as a segment of a
 * segmentation. Returns the number of frames that have any.
 */
export async function copyLayer(
  page: Page,
  { name, ...wanted }: LayerPartName,
  { frames, signal }: { readonly frames: ViewStack['frames']; readonly signal: AbortSignal },
): Promise<number> {
  const found = new Map<string, MarkMask>();
  const waiting = [...frames];
  const take = async () => {
    for (let frame = waiting.shift(); frame !== undefined; frame = waiting.shift()) {
      const mask = await readMask(wanted, frame, signal);
      if (mask !== undefined) found.set(frameKey(frame), mask);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  const mark = createBrushMark(page);
  // In the order of the stack, so that the step is shown at its first frame.
  const sorted = frames.flatMap((frame) => {
    const mask = found.get(frameKey(frame));
    return mask === undefined ? [] : [[frameKey(frame), mask] as const];
  });
  changeMasks(page, { ...mark, words: { ...mark.words, label: name.slice(0, 256) } }, new Map(sorted));
  return found.size;
}

async function readMask(
  { layer, part, painter }: Pick<LayerPartName, 'layer' | 'part' | 'painter'>,
  { fileIndex, frame }: FrameAddress,
  signal: AbortSignal,
): Promise<MarkMask | undefined> {
  const bytes = await fetchPacket({ layer, part: undefined }, { fileIndex, frame }, { signal, isPrefetch: true });
  const mask = painter.maskOf?.(painter.decode(bytes), part);
  return mask && encodeMask(mask);
}
