import { type BlendedField, createMixGroup, layOver, listBridges, planField } from '../layers/field/blendedField.ts';
import type { WireBlendingInput } from '../../../shared/contract/presentation.ts';
import { findFile, stackOf } from '../../kit/state/library.ts';
import type { Page } from '../../kit/state/page.ts';
import { findInput, isListed, type KnownPresentation, listBlended } from '../../kit/state/presentations.ts';

/** What a blending state lays over its underlying images, or why it cannot. Undefined for a state that blends nothing. */
export type BlendingPlan =
  | {
      readonly fields: readonly BlendedField[];
      /** What is shown otherwise than the state says. */
      readonly notes: readonly string[];
    }
  | { readonly reason: string }
  | undefined;

/** How a blending state is shown with the fields of the page, or why it cannot be. PS3.4 N.2.4 and N.2.6. */
export async function planBlending(page: Page, known: KnownPresentation): Promise<BlendingPlan> {
  const refusal = refuseBlending(known);
  if (refusal !== undefined) return { reason: refusal };
  const under = findInput(known, 'UNDERLYING');
  const overs = listBlended(known, 'SUPERIMPOSED');
  if (under === undefined) return undefined;
  const group = createMixGroup(known.state?.blending);
  const fields: BlendedField[] = [];
  const notes: (string | undefined)[] = [];
  const taken = new Set(listStacks(page, under));
  for (const [place, over] of overs.entries()) {
    const [layer, ...others] = listStacks(page, over);
    if (layer === undefined || others.length > 0) return { reason: 'its superimposed images are several volumes' };
    if (taken.has(layer)) return { reason: 'it blends the same images with themselves' };
    taken.add(layer);
    const field = await planField(page, layer, { under, over, mixed: group && { group, place } });
    if (typeof field === 'string') return { reason: field };
    fields.push(field);
    notes.push(noteImages(page, layer, over), noteRegistration(page, known, field));
  }
  return { fields, notes: [...new Set(notes.flatMap((note) => note ?? []))] };
}

/** The stacks of the open images of an input, by their first files. */
function listStacks(page: Page, { images }: WireBlendingInput): readonly number[] {
  const stacks = images.flatMap(({ file_index }) => {
    const file = findFile(page, file_index);
    return file === undefined ? [] : stackOf(page, file).fileIndex;
  });
  return [...new Set(stacks)];
}

/** A field is the whole volume. */
function noteImages(page: Page, layer: number, { images }: WireBlendingInput): string | undefined {
  const file = findFile(page, layer);
  const frames = file === undefined ? [] : stackOf(page, file).frames;
  const count = frames.filter(({ fileIndex, frame }) => isListed(images, fileIndex, frame)).length;
  if (count === frames.length) return undefined;
  return `It names ${count} of the ${frames.length} images of a volume, and all of them are laid over.`;
}

/** The server chooses among the registrations that are open. */
function noteRegistration(page: Page, known: KnownPresentation, field: BlendedField): string | undefined {
  const named = known.state?.blending?.registration;
  if (named === undefined || named === null) return undefined;
  if (named.file_index === null) return 'The registration that it names is not open.';
  const [image] = findInput(known, 'UNDERLYING')?.images ?? [];
  const bridges = listBridges(field, findFile(page, image?.file_index)?.frame_of_reference_uid ?? null);
  return bridges.includes(named.file_index) ? undefined : 'The registration that it names is not the one that is used.';
}

/** Why a blending state cannot be applied, as far as that is known without asking; undefined if it may be. */
export function refuseBlending(known: KnownPresentation): string | undefined {
  const { state } = known;
  if (state === null || state.blending === null) return undefined;
  if (state.blending.reason !== null) return state.blending.reason;
  if (findInput(known, 'UNDERLYING')?.images.length === 0) return 'its underlying images are not open';
  if (listBlended(known, 'SUPERIMPOSED').some(({ images }) => images.length === 0)) {
    return 'its superimposed images are not open';
  }
  return undefined;
}

/**
 * Shows what is planned over the images of a cell. Returns what takes it off again; what was shown before is kept then,
 * if `isKept`.
 */
export function carryOut(
  page: Page,
  cell: number,
  plan: BlendingPlan,
  { isKept }: { readonly isKept: boolean },
): () => void {
  const fields = plan !== undefined && 'fields' in plan ? plan.fields : [];
  const undoing = fields.map((field) => layOver(page, cell, field, { isKept }));
  return () => {
    for (const undo of undoing) undo();
  };
}
