import { EyeOff, Layers } from 'lucide-react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { formatCount } from '../../show/series/describeFile.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { activateCell, openAtStart } from '../../kit/state/cells.ts';
import { findLayer, stackOf, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { setPanels } from '../../kit/state/panels.ts';
import { setLayerShown, useShownLayers } from '../../kit/state/layers.ts';
import { ImageBadge } from '../../kit/ui/ImageBadge.tsx';
import { VisuallyHidden } from '../../kit/ui/VisuallyHidden.tsx';
import { capitalize, countLayers, nameLayer, nameParts } from './describeLayers.ts';
import { useFileAnswer } from './fileAnswers.ts';
import styles from './LayerBadge.module.css';
import { descriptionsOf } from './layerDescriptions.ts';
import { findClient } from './layerClients.ts';
import { useLayersOver } from './stackLayers.ts';

/** Shows how many layers lie over the images of a cell. A click opens a list to show and hide them. */
export function LayerBadge({ cell }: { readonly cell: number }) {
  const page = usePage();
  const picture = usePicture(cell);
  const over = useLayersOver(picture, cell);
  const space = picture && imageOf(page, picture)?.frame_of_reference_uid;
  const files = useLibrary(useShallow(() => over.flatMap((index) => findLayer(page, index) ?? [])));
  const shown = useShownLayers(cell, (state) => state.shown);
  const areVisible = useShownLayers(cell, (state) => state.areVisible);
  const registered = useRegistered(areVisible ? over.filter((index) => shown.includes(index)) : [], space);
  if (files.length === 0) return null;
  const count = over.filter((index) => shown.includes(index)).length;
  const total = countLayers(files);
  const label = count === 0 ? total : `${count} of ${total}`;
  const areHidden = count > 0 && !areVisible;
  const Icon = areHidden ? EyeOff : Layers;
  const openList = () => {
    activateCell(page, cell);
    setPanels(page, { isInspectorOpen: true, tab: 'context' });
  };
  return (
    <ImageBadge
      icon={<Icon size={14} aria-hidden="true" />}
      label={areHidden ? <HiddenLabel label={label} /> : <Label label={label} isRegistered={registered !== ''} />}
      tooltip={areHidden ? 'Hidden. Press M to show them.' : registered === '' ? undefined : registered}
    >
      {files.map((file) => (
        <li key={file.index} className={styles.line}>
          <label>
            <input
              type="checkbox"
              checked={shown.includes(file.index)}
              onChange={({ target }) => setLayerShown(page, cell, file.index, target.checked)}
            />
            <span>
              {nameLayer(file, files)} <Parts file={file} /> <Registered file={file} space={space} />
            </span>
          </label>
          {!('attachment' in file) && file.has_pixels && (
            <button type="button" onClick={() => openAtStart(page, cell, stackOf(page, file))}>
              {capitalize(findClient(file)?.words.alone ?? '')}
            </button>
          )}
        </li>
      ))}
      <li className={styles.line}>
        <button type="button" onClick={openList}>
          All {nameParts(files)}
        </button>
      </li>
    </ImageBadge>
  );
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

/** How these layers get to a frame of reference over registrations; empty if they need none. */
function useRegistered(layers: readonly number[], space: string | null | undefined): string {
  const descriptions = descriptionsOf(usePage());
  return useStore(descriptions.changes, () => {
    const words = layers.flatMap((index) => descriptions.find(index)?.registered?.get(space ?? '') ?? []);
    return capitalize([...new Set(words)].join('; '));
  });
}

function Registered({ file, space }: { readonly file: LayerRecord; readonly space: string | null | undefined }) {
  const words = useRegistered([file.index], space);
  return words === '' ? null : <span className={styles.registered}>{words}</span>;
}

function Parts({ file }: { readonly file: LayerRecord }) {
  const { value } = useFileAnswer(descriptionsOf(usePage()), file.index);
  const word = findClient(file)?.words.part ?? '';
  return (
    value && value.parts.length > 0 && <span className={styles.quiet}>{formatCount(value.parts.length, word)}</span>
  );
}
