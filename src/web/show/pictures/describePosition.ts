import { describePlace } from '../../kit/state/frameOrder.ts';
import type { PictureSource } from './pictureSource.ts';

/** Describes a position of a source, with the number of its frame in the file if the two differ. */
export function describePosition(source: PictureSource, position: number): string {
  const { stack, positions } = source;
  if (source.nameOf !== undefined) return source.nameOf(position);
  if (stack === undefined) return `${position + 1} / ${positions}`;
  return describePlace(stack, position, source.fileOf(position)?.file);
}
