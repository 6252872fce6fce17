import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { usePicture } from '../pictures/pictureKinds.ts';
import { useShownLayers } from '../state/layers.ts';
import { definePart, type Page, usePage } from '../state/page.ts';
import { followLayers, type LayerProblems } from './followLayers.ts';
import { LayerBadge } from './LayerBadge.tsx';
import styles from './LayerCanvas.module.css';
import { layerLoaderOf } from './layerLoader.ts';
import offer from './LayerOffer.module.css';
import { LayerOffer } from './LayerOffer.tsx';
import { useOwnStart } from './useOwnStart.ts';

/** By cell: failures and damage of the layers over its image. */
const problemsOf = definePart(() => createStore<ReadonlyMap<number, LayerProblems>>(() => new Map()));
const NO_PROBLEMS: LayerProblems = { failure: undefined, damage: undefined };

/** Draws the layers over the image of one cell. */
export function LayerCanvas({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<HTMLCanvasElement>(null);
  useOwnStart(cell);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas === null) return undefined;
    const stop = followLayers({ page, cell, canvas, onProblems: (problems) => setProblems(page, cell, problems) });
    return () => {
      stop();
      setProblems(page, cell, NO_PROBLEMS);
    };
  }, [page, cell]);
  // The list of layers in the inspector gives the same information as text.
  return <canvas ref={ref} className={styles.layer} data-layer="layers" aria-hidden="true" />;
}

/** The offer to show a layer over its source, and problems with layers. */
export function LayerNotes({ cell }: { readonly cell: number }) {
  const page = usePage();
  const { failure, damage } = useStore(problemsOf(page), (problems) => problems.get(cell)) ?? NO_PROBLEMS;
  return (
    <>
      <LayerOffer cell={cell} />
      {failure !== undefined && (
        <p className={offer.offer} role="alert">
          The {failure.noun}s of this image cannot be shown: {failure.error.message}
          <button type="button" onClick={() => layerLoaderOf(page).retry()}>
            Retry
          </button>
        </p>
      )}
      {damage !== undefined && (
        <output className={offer.offer}>
          <TriangleAlert size={14} aria-hidden="true" /> {damage}
        </output>
      )}
      <SlabNote cell={cell} />
      <LayerBadge cell={cell} />
    </>
  );
}

/** A mask over a slab could be taken for that of its middle. */
function SlabNote({ cell }: { readonly cell: number }) {
  const slabMm = usePicture(cell)?.line?.slabMm ?? 0;
  const isShown = useShownLayers(cell, ({ shown, areVisible }) => areVisible && shown.length > 0);
  if (slabMm === 0 || !isShown) return null;
  return <output className={offer.offer}>Masks of the whole slab</output>;
}

function setProblems(page: Page, cell: number, problems: LayerProblems): void {
  const store = problemsOf(page);
  const all = store.getState();
  const { failure, damage } = all.get(cell) ?? NO_PROBLEMS;
  if (failure?.error === problems.failure?.error && damage === problems.damage) return;
  store.setState(new Map(all).set(cell, problems), true);
}
