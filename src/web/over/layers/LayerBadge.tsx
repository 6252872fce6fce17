import { EyeOff, Layers } from 'lucide-react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { findLayer, useLibrary } from '../../kit/state/library.ts';
import { useCells } from '../../kit/state/cells.ts';
import { usePage } from '../../kit/state/page.ts';
import { useShownLayers } from '../../kit/state/layers.ts';
import { ImageBadge } from '../../kit/ui/ImageBadge.tsx';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { countLayers } from './describeLayers.ts';
import { descriptionsOf } from './layerDescriptions.ts';
import styles from './LayerBadge.module.css';
import { LayerList } from './LayerList.tsx';
import { useLayersOver } from './stackLayers.ts';
import { useRegistered } from './useRegistered.ts';

/** Shows how many layers lie over the images of a cell. A click opens the list of them and their parts. */
export function LayerBadge({ cell }: { readonly cell: number }) {
  const page = usePage();
  const picture = usePicture(cell);
  const over = useLayersOver(picture, cell);
  const files = useLibrary(useShallow(() => over.flatMap((index) => findLayer(page, index) ?? [])));
  const shown = useShownLayers(cell, (state) => state.shown);
  const areVisible = useShownLayers(cell, (state) => state.areVisible);
  const registered = useRegistered(cell, areVisible ? over.filter((index) => shown.includes(index)) : []);
  const isElsewhere = useIsElsewhere(
    cell,
    over.filter((index) => shown.includes(index)),
  );
  if (files.length === 0) return null;
  const count = over.filter((index) => shown.includes(index)).length;
  const total = countLayers(files);
  const label = count === 0 ? total : `${count} of ${total}`;
  const areHidden = count > 0 && !areVisible;
  const Icon = areHidden ? EyeOff : Layers;
  return (
    <ImageBadge
      icon={<Icon size={14} aria-hidden="true" />}
      label={
        areHidden ? (
          <HiddenLabel label={label} />
        ) : (
          <Label label={isElsewhere ? `${label} · not on this image` : label} isRegistered={registered !== ''} />
        )
      }
      tooltip={areHidden ? 'Hidden. Press M to show them.' : registered === '' ? undefined : registered}
      isPanel
    >
      <li>
        <LayerList cell={cell} />
      </li>
    </ImageBadge>
  );
}

/** Whether all of these layers lie over images of the stack, but none over the one that is shown. */
function useIsElsewhere(cell: number, layers: readonly number[]): boolean {
  const page = usePage();
  const descriptions = descriptionsOf(page);
  useStore(descriptions.changes);
  const picture = usePicture(cell);
  return useCells(({ cells }) => {
    if (picture?.stack === undefined || picture.traits.frames === 'tiles' || layers.length === 0) return false;
    const at = picture.fileOf(cells[cell]?.position ?? 0);
    if (at === undefined) return false;
    return layers.every((layer) => {
      const targets = descriptions.find(layer)?.targets;
      return targets !== undefined && targets.size > 0 && targets.get(at.file.index)?.has(at.frame) !== true;
    });
  });
}

/** The crossed-out eye says this to sighted users; visible words would cover the corner texts. */
function HiddenLabel({ label }: { readonly label: string }) {
  return (
    <>
      {label} <VisuallyHidden>(hidden)</VisuallyHidden>
    </>
  );
}

/** A layer that a registration puts here is only as exact as that. */
function Label({ label, isRegistered }: { readonly label: string; readonly isRegistered: boolean }) {
  if (!isRegistered) return label;
  return (
    <span data-note="registration">
      {label} · <span className={styles.registered}>registered</span>
    </span>
  );
}
