import { ViewerError } from '../../shared/contract/errors.ts';
import { type LayerRef, numberOfLayer } from '../../shared/layerRef.ts';
import { LABEL_FILES, toWirePlan } from '../../server/doors/http/routes/labels.ts';
import { findLayerName } from '../../server/over/layers/layerFiles.ts';
import type { DescribedLayer } from '../../server/over/layers/layers.ts';
import type { LabelExport } from './exportArguments.ts';
import {
  type ExportDomains,
  type ExportJob,
  type ExportJobs,
  type JobFile,
  type NotExported,
  waitFor,
} from './exportJob.ts';
import { createStackFinder, type ExportedStack, keyOfStack } from './listStacks.ts';

/** A layer, and the stacks that it becomes labels of. */
type PlacedOverStacks = { readonly layer: DescribedLayer; readonly stacks: readonly ExportedStack[] };

/** Objects whose parts may be labels. The values of other layers are no areas. */
const LABELLED: ReadonlySet<string | undefined> = new Set(['segmentation', 'structureSet']);

/** A file for each layer over each series that it names, or over those that it lies over if it names none. */
export async function listLabelJobs(
  domains: ExportDomains,
  what: LabelExport,
  signal: AbortSignal,
): Promise<ExportJobs> {
  const { attachments, catalog, layers, references } = domains;
  const stacks = createStackFinder(domains, signal);
  const leftOut: NotExported[] = [];

  /** The stacks among the images of a layer that its object names. */
  async function findStacks({ layer, description }: DescribedLayer): Promise<readonly ExportedStack[]> {
    const found = new Set<ExportedStack>();
    for (const { file, frames } of description.targets) {
      for (const frame of frames) found.add(await stacks.find(file, frame));
    }
    if (!('file' in layer) || found.size < 2) return [...found];
    const named = new Set<number>();
    const declared = await waitFor(signal, () => references.read(catalog.get(layer.file), { signal }));
    for (const file of declared.openFiles()) if (file !== undefined) named.add(file.index);
    const ofNamed = [...found].filter(({ file, stack }) => {
      return stack === undefined ? named.has(file.index) : stack.fileIndices.some((index) => named.has(index));
    });
    return ofNamed.length === 0 ? [...found] : ofNamed;
  }

  async function describeLayers(): Promise<readonly PlacedOverStacks[]> {
    const found: PlacedOverStacks[] = [];
    const refs: (LayerRef & { readonly title: string })[] = [];
    for (const file of catalog.files) {
      if (LABELLED.has(findLayerName(file))) refs.push({ file: file.index, title: file.label });
    }
    for (const { number, path } of await attachments.list({ signal })) refs.push({ attachment: number, title: path });
    for (const { title, ...ref } of refs) {
      try {
        const layer = await waitFor(signal, () => layers.describe(ref, { signal }));
        found.push({ layer, stacks: await findStacks(layer) });
      } catch (error) {
        if (!(error instanceof ViewerError)) throw error;
        leftOut.push({ what: title, reason: error.message });
      }
    }
    return found;
  }

  const found = await describeLayers();
  const jobs: ExportJob[] = [];
  const over = new Map<ExportedStack, DescribedLayer[]>();
  for (const { layer, stacks: of } of found) {
    const { title, description, file } = layer;
    const own = file ?? catalog.files[0];
    if (what.grid === 'own') {
      const [stack] = of;
      if (stack === undefined && own === undefined) leftOut.push({ what: title, reason: 'no image is open' });
      else
        jobs.push(
          toJob(domains, what, { stack: stack ?? { file: own!, frame: 0, stack: undefined }, layers: [layer] }),
        );
    } else if (of.length === 0) {
      leftOut.push({ what: title, reason: description.placement.reason });
    } else if (what.isJoined) {
      for (const stack of of) over.set(stack, [...(over.get(stack) ?? []), layer]);
    } else {
      for (const stack of of) jobs.push(toJob(domains, what, { stack, layers: [layer] }));
    }
  }
  for (const [stack, joined] of over) jobs.push(toJob(domains, what, { stack, layers: joined }));
  return { jobs, leftOut };
}

type Over = { readonly stack: ExportedStack; readonly layers: readonly DescribedLayer[] };

function toJob(domains: ExportDomains, what: LabelExport, { stack, layers }: Over): ExportJob {
  const [first] = layers;
  const title = layers.length === 1 && first !== undefined ? first.title : 'all';
  const [ending] = LABEL_FILES[what.format];
  return {
    of: stack.file,
    title: what.isJoined ? 'all' : title,
    key: `${keyOfStack(stack)} ${layers.map(keyOfLayer).join(' ')}`,
    ending: ending.replace(/^labels/, ''),
    make: (signal) => makeLabels(domains, what, { stack, layers }, signal),
  };
}

function keyOfLayer({ file, title }: DescribedLayer): string {
  return file?.sopInstanceUid ?? title;
}

/** One file, or one for each volume without overlaps. */
async function* makeLabels(
  { labelVolumes }: ExportDomains,
  { format, grid, overlap, threshold }: LabelExport,
  { stack: { file, frame, stack }, layers }: Over,
  signal: AbortSignal,
): AsyncGenerator<JobFile, void> {
  const options = { signal, priority: 'prefetch' } as const;
  const query = {
    ...(stack !== undefined && { frame }),
    ...(threshold !== undefined && { threshold }),
    layers: layers.map(({ layer }) => numberOfLayer(layer)),
    grid,
  };
  const about = layers.map(({ layer, title }) => ({ layer: numberOfLayer(layer), title }));
  const volumes = overlap === 'files' ? await listVolumes() : [undefined];
  for (const [at, parts] of volumes.entries()) {
    const chosen = {
      ...query,
      ...(parts !== undefined && { parts }),
      overlap: overlap === 'files' ? ('volumes' as const) : overlap,
      format,
    };
    const { pieces, plan } = await waitFor(signal, () => labelVolumes.write(file.index, chosen, options));
    const suffix = volumes.length === 1 ? '' : `-${at + 1}`;
    yield { suffix, pieces, sidecar: { layers: about, ...toWirePlan(plan) } };
  }

  async function listVolumes(): Promise<readonly (number[] | undefined)[]> {
    const plan = await waitFor(signal, () => labelVolumes.plan(file.index, query, options));
    if (plan.volumes === 1) return [undefined];
    return Array.from({ length: plan.volumes }, (_, volume) =>
      plan.parts.flatMap((part) => (part.volume === volume && part.from ? [part.from.part] : [])),
    );
  }
}
