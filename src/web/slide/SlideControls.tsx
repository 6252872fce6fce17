import { Tag } from 'lucide-react';
import { Companions } from './Companions.tsx';
import styles from './SlideControls.module.css';
import type { PictureChoice } from '../state/shownTiles.ts';
import type { FocalPlane } from './levelTiles.ts';
import { updateSlide, useSlideState } from './slideState.ts';

export type SlideControlsProps = { readonly cell: number; readonly onRetry: () => void };

/** Which picture of the slide is shown, what else there is of it, and what is wrong with it. */
export function SlideControls({ cell, onRetry }: SlideControlsProps) {
  const state = useSlideState(cell);
  const { paths, planes, choice, companions, areCompanionsShown, failedTiles, failure, isCut, select } = state;
  return (
    <div className={styles.controls} data-control="">
      {areCompanionsShown && <Companions cell={cell} companions={companions} />}
      <div className={styles.bar}>
        {choice !== undefined && paths.length > 1 && (
          <label className={styles.choice}>
            Light
            <select value={choice.path} onChange={({ target }) => select({ ...choice, path: target.value })}>
              {paths.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        )}
        {choice !== undefined && planes.length > 1 && (
          <label className={styles.choice}>
            Focus
            <select
              value={planeIndexOf(planes, choice)}
              onChange={({ target }) => select(toPlane(choice, planes[Number(target.value)]))}
            >
              {planes.map((plane) => (
                <option key={plane.index} value={plane.index}>
                  {describePlane(plane)}
                </option>
              ))}
            </select>
          </label>
        )}
        {companions.length > 0 && (
          <button
            type="button"
            className={styles.button}
            aria-pressed={areCompanionsShown}
            onClick={() => updateSlide(cell, { areCompanionsShown: !areCompanionsShown })}
          >
            <Tag size={14} aria-hidden="true" /> Label and overview
          </button>
        )}
      </div>
      {failedTiles > 0 && (
        <p className={styles.notice} role="alert">
          {failedTiles === 1 ? '1 tile' : `${failedTiles} tiles`} cannot be shown: {failure}{' '}
          <button type="button" className={styles.button} onClick={onRetry}>
            Retry
          </button>
        </p>
      )}
      {isCut && (
        <output className={styles.notice}>
          Zoom in to see the rest: this slide has no smaller level to show it all.
        </output>
      )}
    </div>
  );
}

function describePlane({ um, index }: FocalPlane): string {
  return um === undefined ? `plane ${index + 1}` : `${Number(um.toFixed(3))} µm`;
}

export function toPlane(choice: PictureChoice, plane: FocalPlane | undefined): PictureChoice {
  return plane === undefined ? choice : { ...choice, planeUm: plane.um, planeIndex: plane.index };
}

/** Of the nearest one: frames need not say their height. */
export function planeIndexOf(planes: readonly FocalPlane[], { planeUm, planeIndex }: PictureChoice): number {
  const found = planeUm === undefined ? undefined : planes.find(({ um }) => um === planeUm);
  return found?.index ?? Math.min(planeIndex, planes.length - 1);
}
