import type { PictureSource } from '../../show/pictures/pictureSource.ts';

/** Of a component that offers layers which are not listed by themselves. */
export type OtherLayersProps = {
  readonly cell: number;
  readonly picture: PictureSource;
  /** Layers that have a section of their own. */
  readonly listed: readonly number[];
};
