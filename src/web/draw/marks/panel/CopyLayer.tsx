import { useStore } from 'zustand';
import { LAYER_OBJECTS } from '../../../../shared/contract/layers.ts';
import { usePicture } from '../../../show/pictures/pictureKinds.ts';
import { descriptionsOf } from '../../../over/layers/layerDescriptions.ts';
import { LAYER_PAINTERS } from '../../../over/layers/layerPainters.ts';
import { useCells } from '../../../kit/state/cells.ts';
import { layerNameOf, useShownLayers } from '../../../kit/state/layers.ts';
import { findLayer } from '../../../kit/state/library.ts';
import { sayOutcome } from '../../../kit/state/messages.ts';
import { type Page, usePage } from '../../../kit/state/page.ts';
import { copyLayer, type LayerPartName } from '../masks/copyLayer.ts';

/** Makes an editable mask of a part of a layer that is shown over the active image, such as the output of a model. */
export function CopyLayer() {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const stack = usePicture(cell)?.stack;
  const shown = useShownLayers(cell, (state) => state.shown);
  useStore(descriptionsOf(page).changes);
  const parts = listParts(page, shown);
  if (stack === undefined || parts.length === 0) return null;
  const copy = (chosen: LayerPartName) =>
    void sayOutcome(page, async () => {
      const signal = page.untilRestart(new AbortController().signal);
      const targets = descriptionsOf(page).find(chosen.layer)?.targets;
      const frames = stack.frames.filter(({ fileIndex, frame }) => targets?.get(fileIndex)?.has(frame) === true);
      const count = await copyLayer(page, chosen, { frames, signal });
      return count === 0
        ? `${chosen.name} is on no image of this stack`
        : `${chosen.name} is a mask on ${count} images now`;
    });
  return (
    <select
      aria-label="Copy from a layer"
      value=""
      onChange={({ target }) => {
        const chosen = parts[Number(target.value)];
        if (chosen !== undefined) copy(chosen);
      }}
    >
      <option value="">Copy from a layer</option>
      {parts.map(({ layer, part, name }, n) => (
        <option key={`${layer} ${part}`} value={n}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** The parts of layers that are sets of pixels. */
function listParts(page: Page, shown: readonly number[]): readonly LayerPartName[] {
  return shown.flatMap((layer) => {
    const file = findLayer(page, layer);
    const name = file && layerNameOf(file);
    const description = descriptionsOf(page).find(layer);
    const kind = description?.kind ?? (name && LAYER_OBJECTS[name].kind);
    const painter = kind && LAYER_PAINTERS[kind];
    if (description === undefined || painter?.maskOf === undefined) return [];
    return description.parts.map((part) => ({ layer, part: part.number, name: part.name, painter }));
  });
}
