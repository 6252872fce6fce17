import { useShallow } from 'zustand/shallow';
import { setLayerShown } from '../../../kit/state/layers.ts';
import { findFile, useLibrary } from '../../../kit/state/library.ts';
import { usePage } from '../../../kit/state/page.ts';
import { nameLayer } from '../describeLayers.ts';
import type { OtherLayersProps } from '../otherLayers.ts';
import { listFieldFiles } from '../stackLayers.ts';
import styles from './FieldDetails.module.css';

/** Lays any other volume of the same frame of reference over the picture. */
export function OtherFields({ cell, picture, listed }: OtherLayersProps) {
  const page = usePage();
  const others = useLibrary(
    useShallow(() => listFieldFiles(page, picture).flatMap(({ index }) => (listed.includes(index) ? [] : [index]))),
  );
  const files = others.flatMap((index) => findFile(page, index) ?? []);
  if (files.length === 0) return null;
  return (
    <label className={styles.other}>
      Lay over
      <select
        value=""
        onChange={({ target }) => {
          if (target.value !== '') setLayerShown(page, cell, Number(target.value), true);
        }}
      >
        <option value="">another volume…</option>
        {files.map((file) => (
          <option key={file.index} value={file.index}>
            {file.modality} {nameLayer(file, files)}
          </option>
        ))}
      </select>
    </label>
  );
}
