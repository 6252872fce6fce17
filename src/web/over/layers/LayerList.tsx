import { Fragment, useState } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/shallow';
import { usePicture } from '../../show/pictures/pictureKinds.ts';
import { imageOf } from '../../show/pictures/layerTarget.ts';
import type { PictureSource } from '../../show/pictures/pictureSource.ts';
import type { LayerRecord } from '../../kit/state/attachments.ts';
import { findLayer, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { useShownLayers } from '../../kit/state/layers.ts';
import { nameLayer } from './describeLayers.ts';
import { OtherLayers } from './layerDetails.tsx';
import { descriptionsOf } from './layerDescriptions.ts';
import styles from './LayerList.module.css';
import { LayerSection } from './LayerSection.tsx';
import { RegistrationChoice } from './RegistrationChoice.tsx';
import { useLayersOver, useOwnLayer } from './stackLayers.ts';
import { UnplacedAttachments } from './UnplacedAttachments.tsx';

/**
 * The layers over the picture of a cell with their parts, or the layer that the cell shows by itself. It can stand in a
 * panel and in a pop-up. Nothing in it moves when a number arrives or a layer is shown.
 */
export function LayerList({ cell }: { readonly cell: number }) {
  const own = useOwnLayer(cell);
  const picture = usePicture(cell);
  if (own !== undefined) return <LayerSection cell={cell} file={own} name={nameLayer(own, [])} isOpen />;
  return picture === undefined ? null : <OverPicture cell={cell} picture={picture} />;
}

function OverPicture({ cell, picture }: { readonly cell: number; readonly picture: PictureSource }) {
  const page = usePage();
  const over = useLayersOver(picture, cell);
  const { settled, late, hold, release } = useHeldInPlace(over);
  const files = useLibrary(useShallow(() => settled.flatMap((index) => findLayer(page, index) ?? [])));
  const lateFiles = useLibrary(useShallow(() => late.flatMap((index) => findLayer(page, index) ?? [])));
  const shown = useShownLayers(cell, (state) => state.shown);
  const groups = useGroups(files);
  const image = useLibrary(() => imageOf(page, picture));
  const section = (one: LayerRecord, among: readonly LayerRecord[]) => (
    <LayerSection
      key={one.index}
      cell={cell}
      file={one}
      name={nameLayer(one, among)}
      isOpen={shown.includes(one.index)}
    />
  );
  return (
    <div onPointerEnter={hold} onPointerLeave={release}>
      {groups.map(({ title, members }) => (
        <Fragment key={members[0]?.index}>
          {title !== undefined && <h2 className={styles.group}>{title}</h2>}
          {members.map((one) => section(one, files))}
        </Fragment>
      ))}
      {image !== undefined && <RegistrationChoice image={image} />}
      {image !== undefined && <UnplacedAttachments cell={cell} image={image} />}
      <OtherLayers cell={cell} picture={picture} listed={over} />
      {lateFiles.map((one) => section(one, [...files, ...lateFiles]))}
    </div>
  );
}

/**
 * Layers are found one after the other. Those that come while the pointer is in the list stand at its end until it leaves, so
 * that nothing moves under it.
 */
function useHeldInPlace(over: readonly number[]) {
  const [held, setHeld] = useState<{ readonly settled: readonly number[]; readonly late: readonly number[] }>();
  const isThere = (index: number) => over.includes(index);
  const added = held === undefined ? [] : over.filter((index) => ![...held.settled, ...held.late].includes(index));
  if (held !== undefined && added.length > 0) setHeld({ ...held, late: [...held.late, ...added] });
  return {
    settled: held === undefined ? over : held.settled.filter(isThere),
    late: held === undefined ? [] : held.late.filter(isThere),
    hold: () => setHeld((before) => before ?? { settled: over, late: [] }),
    release: () => setHeld(undefined),
  };
}

type Group = { readonly title: string | undefined; readonly members: readonly LayerRecord[] };

/** What belongs together, such as the doses of a plan, stands together where the first of it would be. */
function useGroups(files: readonly LayerRecord[]): readonly Group[] {
  const descriptions = descriptionsOf(usePage());
  const titles = useStore(
    descriptions.changes,
    useShallow(() => files.map(({ index }) => descriptions.find(index)?.group)),
  );
  const groups = new Map<string, { title: string | undefined; members: LayerRecord[] }>();
  for (const [at, file] of files.entries()) {
    const title = titles[at];
    const key = title === undefined ? String(file.index) : `group ${title}`;
    const group = groups.get(key) ?? { title, members: [] };
    groups.set(key, group);
    group.members.push(file);
  }
  return [...groups.values()].map(({ title, members }) => ({ title: members.length > 1 ? title : undefined, members }));
}
