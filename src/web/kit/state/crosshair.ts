import { createStore } from 'zustand/vanilla';
import type { Vector3 } from '../../../shared/geometry.ts';
import { definePart } from './page.ts';

export type CrosshairState = {
  /** One point for each frame of reference, in millimetres. */
  readonly points: ReadonlyMap<string, Vector3>;
};

export const crosshairOf = definePart((page) => {
  const store = createStore<CrosshairState>(() => ({ points: new Map() }));
  page.onRestart(() => store.setState({ points: new Map() }));
  return store;
});
