import { LAYER_OBJECTS } from '../../../shared/contract/layers.ts';
import { numberOfLayer } from '../../../shared/layerRef.ts';
import type { Attachments } from '../../images/attachments/attachments.ts';
import type { NamedPlaces } from '../../images/attachments/namedPlaces.ts';
import type { Catalog } from '../../images/catalog/catalog.ts';
import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { findLayerName } from './layerFiles.ts';
import type { LayerOptions } from './layerProvider.ts';

/** What the user has named, as layers. In the order in which they were named; of a series of images, the first file. */
export type NamedLayers = {
  readonly shown: readonly number[];
  /** Those of `--truth` and `--test`. */
  readonly truth: readonly number[];
  readonly test: readonly number[];
};

/** What the user has named with `--overlay`, `--truth` and `--test`, as layers. */
export interface LayersToShow {
  /** Number of paths that were named. */
  readonly count: number;
  /** Empty until the scan is complete. */
  list(options: LayerOptions): Promise<NamedLayers>;
}

export function createOverlays({
  catalog,
  attachments,
  named,
  areCompared = false,
}: {
  readonly catalog: Pick<Catalog, 'files' | 'progress'>;
  readonly attachments: Attachments;
  readonly named: NamedPlaces;
  /** Whether the first two places are those of truth and test. */
  readonly areCompared?: boolean | undefined;
}): LayersToShow {
  async function list({ signal }: LayerOptions): Promise<NamedLayers> {
    if (named.count === 0 || !catalog.progress.scanComplete) return { shown: [], truth: [], test: [] };
    const locate = await named.locate();
    const found: Found[] = [];
    for (const { number, namedAs } of await attachments.list({ signal })) {
      if (namedAs !== undefined) found.push({ layer: numberOfLayer({ attachment: number }), at: namedAs });
    }
    found.push(...(await doInTurns(findFiles(catalog.files, locate), signal)));
    const sorted = found.toSorted((a, b) => a.at - b.at || a.layer - b.layer);
    const listAt = (isIn: (at: number) => boolean) => sorted.flatMap(({ layer, at }) => (isIn(at) ? [layer] : []));
    if (!areCompared) return { shown: listAt(() => true), truth: [], test: [] };
    return { shown: listAt((at) => at > 1), truth: listAt((at) => at === 0), test: listAt((at) => at === 1) };
  }

  return { count: named.count, list };
}

type Found = { readonly layer: number; readonly at: number };

function* findFiles(
  files: Catalog['files'],
  locate: Awaited<ReturnType<NamedPlaces['locate']>>,
): WorkInTurns<readonly Found[]> {
  const found: Found[] = [];
  const series = new Set<string>();
  for (const file of files) {
    yield;
    const name = findLayerName(file);
    const at = name && locate(file.source);
    if (name === undefined || at === undefined) continue;
    if (LAYER_OBJECTS[name].isImage) {
      if (series.has(file.seriesInstanceUid)) continue;
      series.add(file.seriesInstanceUid);
    }
    found.push({ layer: file.index, at });
  }
  return found;
}
