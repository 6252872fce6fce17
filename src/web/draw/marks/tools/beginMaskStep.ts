import { createMaskBits, encodeMask } from '../../../../shared/maskRuns.ts';
import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { rowsOf, spansOf } from '../../../../shared/region.ts';
import { cellsOf } from '../../../kit/state/cells.ts';
import { findFile } from '../../../kit/state/library.ts';
import { say } from '../../../kit/state/messages.ts';
import type { Page } from '../../../kit/state/page.ts';
import { showFrame } from '../../../show/pictures/shownFrame.ts';
import { type BrushMark, markForStroke } from '../masks/brushes.ts';
import { findStackOfKey } from '../masks/placeOfMask.ts';
import { MEASURE_KINDS } from '../shapes/measureKinds.ts';
import { findSelectedShape } from '../shapes/measurements.ts';
import { frameAddressOf } from '../shapes/measureGesture.ts';
import { listOnFrame } from '../shapes/throughStack.ts';
import { frameKey, parseFrameKey } from '../sync/markForm.ts';
import { marksOf } from '../sync/marks.ts';
import type { MaskWork } from './maskJob.ts';
import type { MaskCommandName } from './maskTools.ts';
import {
  chooseMask,
  findSamples,
  findTarget,
  listMasksHere,
  type MaskTarget,
  nameMask,
  pictureSpacingOf,
} from './maskTarget.ts';
import { planOnPicture, planVolume, planWork } from './planMask.ts';
import { maskSettingsOf, type MaskSettings, type PlanMask, propose, proposalsOf } from './proposals.ts';
import { findValueLimits } from './valueLimits.ts';
import { maskToolOf } from './maskTools.ts';

/** Shows what a command would do to the mask of the image in the active cell. */
export async function beginMaskStep(page: Page, tool: MaskCommandName): Promise<void> {
  const target = findTarget(page, cellsOf(page).getState().activeCell);
  if (target === undefined) return;
  if (tool === 'threshold') {
    beginThreshold(page, target);
    return;
  }
  const here = listMasksHere(page, target);
  const mark = chooseMask(page, here);
  if (mark === undefined) return;
  if (tool === 'copyNext' || tool === 'copyPrevious') {
    beginCopy(page, target, mark, tool);
    return;
  }
  const others = here.flatMap((other, n) =>
    other.uid === mark.uid ? [] : [{ uid: other.uid, name: nameMask(page, other, n + 1) }],
  );
  const needsOther = tool === 'unite' || tool === 'subtract' || tool === 'intersect';
  if (needsOther && others.length === 0) {
    say(page, 'There is no other mask on these images', 'failed');
    return;
  }
  const { chosen } = marksOf(page).getState();
  const other = others.find(({ uid }) => chosen.has(uid)) ?? others.at(-1);
  const { unit, column } = pictureSpacingOf(target);
  const { last } = maskSettingsOf(page);
  const settings: MaskSettings = {
    low: 0,
    high: 0,
    radius: last.radius ?? Math.max(1, roundUp(column)),
    least: last.least ?? 10,
    other: other?.uid,
    scope: last.scope ?? 'slice',
  };
  const findOther = (uid: string | undefined) => here.find((one) => one.uid === uid);
  const plan: PlanMask = (now, options) => {
    if (now.scope === 'volume') {
      return planVolume(page, target, mark, options, (keys) =>
        toWork(tool, now, (uid) => keys.map((key) => findOther(uid)?.slices.get(key))),
      );
    }
    const ofOther = (uid: string | undefined) => {
      const found = findOther(uid);
      return [found && target.ground.maskOf(found)];
    };
    return planOnPicture(page, target, mark, { work: toWork(tool, now, ofOther), signal: options.signal });
  };
  const { title } = maskToolOf(tool);
  propose(page, { tool, title, cell: target.cell, mark, settings, unit, others, isCut: target.ground.isCut, plan });
}

/** To a tenth. */
function roundUp(value: number): number {
  return Math.ceil(value * 10) / 10;
}

type VolumeTool = Exclude<MaskCommandName, 'threshold' | 'copyNext' | 'copyPrevious'>;
type MasksOfOther = (uid: string | undefined) => readonly (MarkMask | undefined)[];

function toWork(tool: VolumeTool, { radius, least, other }: MaskSettings, masksOfOther: MasksOfOther): MaskWork {
  switch (tool) {
    case 'holes':
    case 'largest':
      return { kind: tool };
    case 'islands':
      return { kind: tool, least };
    case 'grow':
    case 'shrink':
    case 'smooth':
      return { kind: tool, radius };
    case 'unite':
    case 'subtract':
    case 'intersect':
      return { kind: tool, others: masksOfOther(other) };
  }
}

/** Adds the pixels of the selected shape that have values in a range, which begins as all values in it above the middle. */
function beginThreshold(page: Page, target: MaskTarget): void {
  const item = findSelectedShape(page);
  const [form] = item === undefined ? [] : listOnFrame(page, [item], frameAddressOf(target.shown));
  const region = form && MEASURE_KINDS[form.kind].regionOf?.(form.points);
  if (region === undefined) {
    say(page, 'Select a box, an ellipse or a polygon on this image first', 'failed');
    return;
  }
  const samples = findSamples(page, target);
  if (samples === undefined) {
    say(page, 'The values of this picture are not known, so there is no threshold', 'failed');
    return;
  }
  const mark = markForStroke(page, frameKey(target.ground.frame));
  if (mark === undefined) return;
  const { columns, rows } = target.ground.size;
  const within = createMaskBits(columns, rows);
  const size = { width: columns, height: rows };
  const { first, end } = rowsOf(region, size);
  for (let row = first; row < end; row += 1) {
    for (const span of spansOf(region, row, size))
      within.bits.fill(1, row * columns + span.first, row * columns + span.end);
  }
  const mask = encodeMask(within);
  const values = findValueLimits(samples, within.bits);
  const plan: PlanMask = ({ low, high }, { signal }) =>
    planOnPicture(page, target, mark, { work: { kind: 'threshold', within: mask, low, high }, samples, signal });
  propose(page, {
    tool: 'threshold',
    title: maskToolOf('threshold').title,
    cell: target.cell,
    mark,
    settings: { ...NO_SETTINGS, low: values.middle, high: values.most },
    values,
    unit: 'px',
    others: [],
    isCut: target.ground.isCut,
    plan,
  });
}

const NO_SETTINGS: MaskSettings = { low: 0, high: 0, radius: 1, least: 1, other: undefined, scope: 'slice' };

/** Adds the mask of the image to the next one, which is then shown, so that repeating it copies through the stack. */
function beginCopy(page: Page, target: MaskTarget, mark: BrushMark, tool: 'copyNext' | 'copyPrevious'): void {
  const { ground, cell } = target;
  if (ground.isCut) {
    say(page, 'Masks are copied between stored images. On planes, paint the plane.', 'failed');
    return;
  }
  const stack = findStackOfKey(page, ground.key);
  const position = stack?.frames.findIndex((frame) => frameKey(frame) === ground.key) ?? -1;
  const next = stack?.frames[position + (tool === 'copyNext' ? 1 : -1)];
  const source = mark.slices.get(ground.key);
  if (next === undefined || source === undefined) {
    const text = source === undefined ? 'The mask has no pixel on this image' : 'There is no further image';
    say(page, text, 'failed');
    return;
  }
  const key = frameKey(next);
  const [from, to] = [ground.key, key].map((of) => findFile(page, parseFrameKey(of).fileIndex));
  const [columns, rows] = [from?.columns ?? 0, from?.rows ?? 0];
  if (to?.columns !== columns || to.rows !== rows) {
    say(page, 'The next image has another size', 'failed');
    return;
  }
  const job = {
    columns,
    rows,
    spacing: pictureSpacingOf(target),
    masks: [mark.slices.get(key)],
    work: { kind: 'unite', others: [source] } as const,
  };
  const plan: PlanMask = (_, { signal }) =>
    planWork(page, job, { signal, toChanges: ([[, mask] = [0, null]]) => new Map([[key, mask]]) });
  propose(page, {
    tool,
    title: maskToolOf(tool).title,
    cell,
    mark,
    settings: NO_SETTINGS,
    unit: 'px',
    others: [],
    isCut: false,
    plan,
  });
  if (proposalsOf(page).getState().proposal !== undefined) showFrame(page, next.fileIndex, next.frame);
}
