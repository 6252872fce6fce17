import { isClusters, type PointsPacket } from '../../../../shared/pointsPacket.ts';
import { isSlideRegion } from '../../../show/pictures/layerTarget.ts';
import { formatValue } from '../../../kit/ui/formatNumbers.ts';
import type { Page } from '../../../kit/state/page.ts';
import type { RegionDescription } from '../graphics/regionClient.ts';
import type { ProbedLayer } from '../layerClient.ts';
import type { LayerPacket } from '../layerPainter.ts';
import { findAnnotationsAt } from '../points/pointsAt.ts';
import { findPointsLook, isShown } from '../points/pointsLook.ts';

/** More at one pixel are not named. */
const MOST_NAMED = 3;
/** How close the pointer has to be to a point or a line, in pixels of the screen. */
const REACH_PX = 3;

/** The annotations at a pixel of a slide with what was measured. Example: `nuclei 2: Area 43.8 µm²`. */
export function probeAnnotations(
  _page: Page,
  probed: readonly ProbedLayer<RegionDescription>[],
  column: number,
  row: number,
): readonly string[] {
  return probed.flatMap(({ description, packet, target, look }) => {
    const content = isPointsPacket(packet) ? packet.content : undefined;
    if (content === undefined || isClusters(content) || !isSlideRegion(target)) return [];
    const [x, y] = [column - target.x, row - target.y];
    // A neighbouring piece names what reaches into it.
    if (x < 0 || y < 0 || x >= target.width || y >= target.height) return [];
    return findAnnotationsAt(content, [x, y], REACH_PX * target.pixel, MOST_NAMED).flatMap((at) => {
      const part = content.parts[at]!;
      if (!look.styleOf(part).isVisible || !isShown(findPointsLook(look.ofClient)?.filter, content, at)) return [];
      const values = content.values.subarray(at * content.width, (at + 1) * content.width);
      return [nameAnnotation(description, part, content.numbers[at]!, values)];
    });
  });
}

function nameAnnotation(
  { parts, response }: RegionDescription,
  part: number,
  number: number,
  values: Float32Array,
): string {
  const name = `${parts.find((one) => one.number === part)?.name ?? `Part ${part}`} ${number}`;
  const measurements = response.parts.find((one) => one.part === part)?.measurements ?? [];
  const measured = measurements.flatMap((one, at) => {
    const value = values[at] ?? NaN;
    return Number.isNaN(value) ? [] : [`${one.name} ${formatValue(value)} ${one.unit}`.trimEnd()];
  });
  return measured.length === 0 ? name : `${name}: ${measured.join(', ')}`;
}

function isPointsPacket(packet: LayerPacket): packet is PointsPacket {
  return 'content' in packet;
}
