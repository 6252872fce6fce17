import { ViewerError } from '../../../shared/contract/errors.ts';
import type { SeriesList } from './seriesList.ts';
import type { LargeStack, PackedStack } from './stackRecord.ts';

/** The stack of a frame with the positions of all its frames. Throws `decode_busy` while some are being read. */
export async function findReadStack(
  series: Pick<SeriesList, 'findStack'>,
  fileIndex: number,
  frame?: number,
): Promise<PackedStack | LargeStack | undefined> {
  return refusePending(await series.findStack(fileIndex, frame));
}

export function refusePending(stack: PackedStack | LargeStack | undefined): PackedStack | LargeStack | undefined {
  if (stack !== undefined && stack.kind !== 'too_many_frames' && stack.isPending) {
    throw new ViewerError('decode_busy', 'the positions of the frames are still being read; try again in a moment');
  }
  return stack;
}
