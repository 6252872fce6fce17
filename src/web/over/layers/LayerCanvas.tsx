import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { LAYER_OBJECTS, type LayerKind } from '../../../shared/contract/layers.ts';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { layerNameOf, useShownLayers } from '../../kit/state/layers.ts';
import { findLayer } from '../../kit/state/library.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { followLayers, type LayerProblems } from './followLayers.ts';
import { LayerBadge } from './LayerBadge.tsx';
import styles from './LayerCanvas.module.css';
import { LayerScales } from './layerDetails.tsx';
import { lightGraphics } from './litParts.ts';
import { layerLoaderOf } from './layerLoader.ts';
import offer from './LayerOffer.module.css';
import { LayerOffer } from './LayerOffer.tsx';
import { useOwnStart } from './useOwnStart.ts';

/** By cell: failures and damage of the layers over its image. */
const problemsOf = definePart(() => createStore<ReadonlyMap<number, LayerProblems>>(() => new Map()));
const NO_PROBLEMS: LayerProblems = { failure: undefined, damage: undefined };
const NO_LAYERS: readonly number[] = [];

/** Draws the layers over the image of one cell. */
export function LayerCanvas({ cell }: { readonly cell: number }) {
  const page = usePage();
  const ref = useRef<HTMLCanvasElement>(null);
  const svgRef = useRef<SVGSVGElement>(null);
  const topRef = useRef<HTMLCanvasElement>(null);
  useOwnStart(cell);
  useEffect(() => {
    const [canvas, svg, top] = [ref.current, svgRef.current, topRef.current];
    if (canvas === null || svg === null || top === null) return undefined;
    const onProblems = (problems: LayerProblems) => setProblems(page, cell, problems);
    const stop = followLayers({ page, cell, canvas, surfaces: { svg, top }, onProblems });
    const stopLighting = lightGraphics(page, svg);
    return () => {
      stop();
      stopLighting();
      setProblems(page, cell, NO_PROBLEMS);
    };
  }, [page, cell]);
  // The list of layers in the inspector gives the same information as text.
  return (
    <>
      <canvas ref={ref} className={styles.layer} data-layer="layers" aria-hidden="true" />
      <svg ref={svgRef} className={styles.layer} data-layer="graphics" aria-hidden="true" />
      <canvas ref={topRef} className={styles.layer} data-layer="points" width={0} height={0} aria-hidden="true" />
    </>
  );
}

/** The scales of the layers over a picture. */
export function LayerLegends({ cell }: { readonly cell: number }) {
  return <LayerScales cell={cell} />;
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

/** What a layer shows over a slab: a mask could be taken for that of its middle, and a contour for that of all of it. */
const OVER_SLAB: Partial<Record<LayerKind, string>> = {
  mask: 'Masks of the whole slab',
  contour: 'Contours in the middle of the slab',
  graphics: 'Regions of the whole slab',
  field: 'Highest values in the slab',
};

function SlabNote({ cell }: { readonly cell: number }) {
  const page = usePage();
  const slabMm = usePicture(cell)?.line?.slabMm ?? 0;
  const shown = useShownLayers(cell, (layers) => (layers.areVisible ? layers.shown : NO_LAYERS));
  if (slabMm === 0) return null;
  const names = shown.flatMap((index) => {
    const file = findLayer(page, index);
    return (file && layerNameOf(file)) ?? [];
  });
  const notes = new Set(names.flatMap((name) => OVER_SLAB[LAYER_OBJECTS[name].kind] ?? []));
  return notes.size === 0 ? null : <output className={offer.offer}>{[...notes].join('. ')}</output>;
}

function setProblems(page: Page, cell: number, problems: LayerProblems): void {
  const store = problemsOf(page);
  const all = store.getState();
  const { failure, damage } = all.get(cell) ?? NO_PROBLEMS;
  if (failure?.error === problems.failure?.error && damage === problems.damage) return;
  store.setState(new Map(all).set(cell, problems), true);
}
