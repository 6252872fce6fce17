import { rangeAround } from '../../../../shared/maskTools/markRange.ts';
import { applyModality } from '../../../../shared/modality.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { toolsOf } from '../../../kit/state/tools.ts';
import type { Point } from '../../../kit/state/viewState.ts';
import { applyMatrix } from '../../../show/pictures/viewTransform.ts';
import { type MarkGesture, type MarkPress, toImagePoint } from '../../../show/tools/followMarks.ts';
import { markForStroke } from '../masks/brushes.ts';
import { frameKey } from '../sync/markForm.ts';
import { maskToolOf } from './maskTools.ts';
import { findSamples, findTarget } from './maskTarget.ts';
import { planOnPicture } from './planMask.ts';
import { planRegionVolume } from './planRegionVolume.ts';
import { cancelProposal, changeSettings, type PlanMask, propose } from './proposals.ts';
import { findValueLimits } from './valueLimits.ts';

/** A drag across so many CSS pixels changes the range by all values of the picture. */
const PIXELS_OF_ALL_VALUES = 1_500;

/**
 * A press grows a region from a pixel, in the range of the values around it. A drag changes the range: to the right it
 * becomes wider on both sides, upwards both ends become larger. The region stays a preview when the press ends.
 */
export function beginRegion(page: Page, cell: number, { shown, at, isOwnTool }: MarkPress): MarkGesture | undefined {
  if (!isOwnTool) return undefined;
  const tool = toolsOf(page).getState().tool === 'regionVolume' ? 'regionVolume' : 'region';
  const target = findTarget(page, cell);
  if (target === undefined) return undefined;
  const samples = findSamples(page, target);
  if (samples === undefined) {
    say(page, 'The values of this picture are not known, so no region can grow in it', 'failed');
    return undefined;
  }
  const { ground } = target;
  const pressed = toImagePoint(shown, at);
  const [column, row] = [Math.floor(pressed.x), Math.floor(pressed.y)];
  if (column < 0 || row < 0 || column >= ground.size.columns || row >= ground.size.rows) return undefined;
  const mark = markForStroke(page, frameKey(ground.frame));
  if (mark === undefined) return undefined;

  const valueAt = (index: number) => applyModality(samples.modality, samples.samples[index]!);
  const seed = row * ground.size.columns + column;
  const own = valueAt(seed);
  const around = rangeAround(valueAt, ground.size, [column, row]);
  const found = findValueLimits(samples);
  const values = { ...found, least: Math.min(found.least, around.low), most: Math.max(found.most, around.high) };
  const perPixel = (values.most - values.least) / PIXELS_OF_ALL_VALUES;
  const rangeAt = (to: Point) => {
    const end = applyMatrix(shown.screen.imageToScreen, to);
    const [wider, higher] = [(end.x - at.x) * perPixel, (at.y - end.y) * perPixel];
    return {
      // The region always has the pixel that it grows from.
      low: Math.min(own, around.low - wider + higher),
      high: Math.max(own, around.high + wider + higher),
    };
  };
  const inPicture: PlanMask = ({ low, high }, { signal }) =>
    planOnPicture(page, target, mark, { work: { kind: 'region', seed, low, high }, samples, signal });
  const plan = tool === 'region' ? inPicture : planRegionVolume(page, target, mark, { seed: [column, row], inPicture });
  propose(page, {
    tool,
    title: maskToolOf(tool).title,
    cell,
    mark,
    settings: { low: around.low, high: around.high, radius: 1, least: 1, other: undefined, scope: 'slice' },
    values,
    unit: 'px',
    others: [],
    isCut: ground.isCut,
    plan,
  });
  return {
    move: (to) => changeSettings(page, rangeAt(to)),
    commit: (to) => changeSettings(page, rangeAt(to)),
    click: () => undefined,
    cancel: () => cancelProposal(page),
  };
}
