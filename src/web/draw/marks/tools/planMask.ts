import type { MarkMask } from '../../../../shared/contract/marks.ts';
import { definePart, type Page } from '../../../kit/state/page.ts';
import { groupDigits } from '../../../kit/ui/groupDigits.ts';
import type { BrushMark } from '../masks/brushes.ts';
import type { JobSamples, MaskJob, MaskResult, MaskWork } from './maskJob.ts';
import { createMaskRunner } from './maskRunner.ts';
import { loadTargetVolume, masksAt, type MaskTarget, pictureSpacingOf } from './maskTarget.ts';
import { type ChangedMasks, type Planned, type PlanMask, PREVIEW_ENDED } from './proposals.ts';
import { startMaskWorker } from './startMaskWorker.ts';

const runnerOf = definePart((page) => {
  const runner = createMaskRunner(startMaskWorker);
  page.onRestart(() => runner.stop());
  return runner;
});

type Done = Extract<MaskResult, { changed: unknown }>;
type WorkOptions = {
  readonly signal: AbortSignal;
  readonly samples?: JobSamples;
  readonly toChanges: (changed: Done['changed']) => ChangedMasks;
  /** What it counts. */
  readonly noun?: string;
};

/** Runs a job in the worker. Undefined if newer settings came first. */
export async function planWork(
  page: Page,
  job: MaskJob,
  { samples, toChanges, signal, noun = 'pixels' }: WorkOptions,
): Promise<Planned | undefined> {
  const stop = () => {
    // Newer settings of the same preview wait for their turn instead.
    if (signal.reason === PREVIEW_ENDED) runnerOf(page).stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  const result = await runnerOf(page).run(job, samples);
  signal.removeEventListener('abort', stop);
  if (result === undefined) return undefined;
  if ('problem' in result) throw new Error(result.problem);
  const { added, removed, inside, changed } = result;
  const slices = job.masks.length > 1 && changed.length > 0 ? ` in ${changed.length} images` : '';
  const parts = [
    added > 0 ? `${groupDigits(added)} ${noun} more` : '',
    removed > 0 ? `${groupDigits(removed)} ${noun} fewer` : '',
  ].filter(Boolean);
  const what = parts.length === 0 ? 'Changes nothing' : `${parts.join(', ')}${slices}`;
  return {
    changed: changed.length === 0 ? new Map() : toChanges(changed),
    text: `${what}. ${groupDigits(inside)} in all.`,
  };
}

/** On the picture that is shown, whether it is a stored image or a plane. */
export function planOnPicture(
  page: Page,
  target: MaskTarget,
  mark: BrushMark,
  {
    work,
    samples,
    signal,
  }: { readonly work: MaskWork; readonly samples?: JobSamples | undefined; readonly signal: AbortSignal },
): Promise<Planned | undefined> {
  const { ground } = target;
  const job = { ...ground.size, spacing: pictureSpacingOf(target), masks: [ground.maskOf(mark)], work };
  return planWork(page, job, {
    signal,
    ...(samples !== undefined && { samples }),
    toChanges: ([[, mask] = [0, null]]) => ground.replace(mark, mask),
  });
}

/** On all slices of the volume that the picture is in. */
export async function planVolume(
  page: Page,
  target: MaskTarget,
  mark: BrushMark,
  { signal }: Parameters<PlanMask>[1],
  workOf: (keys: readonly string[]) => MaskWork,
): Promise<Planned | undefined> {
  const { volume, keys } = await loadTargetVolume(page, target);
  if (signal.aborted) return undefined;
  const { rows, columns, rowSpacingMm, columnSpacingMm, positionsMm } = volume.table;
  const spacing = { column: columnSpacingMm, row: rowSpacingMm, positions: positionsMm };
  const job = { columns, rows, spacing, masks: masksAt(mark, keys), work: workOf(keys) };
  return planWork(page, job, { signal, noun: 'voxels', toChanges: (changed) => toKeys(changed, keys) });
}

export function toKeys(changed: Done['changed'], keys: readonly string[]): ChangedMasks {
  return new Map<string, MarkMask | null>(changed.map(([slice, mask]) => [keys[slice] ?? '', mask]));
}
