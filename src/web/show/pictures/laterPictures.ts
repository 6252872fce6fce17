import type { ComponentType } from 'react';
import { createStore } from 'zustand/vanilla';
import { definePart } from '../../kit/state/page.ts';
import type { PictureProps } from './pictureSource.ts';

type LoadComponent = () => Promise<ComponentType<PictureProps>>;

/**
 * How a component is loaded that shows what pictures know nothing of, such as links and measurements. The shell, which
 * knows all parts of the page, provides it after the first image.
 */
export const documentComponentOf = definePart(() => {
  const store = createStore<{ readonly load: LoadComponent | undefined }>(() => ({ load: undefined }));
  return {
    provide: (load: LoadComponent) => store.setState({ load }),
    async load() {
      const { load } = store.getState();
      if (load !== undefined) return load();
      return new Promise<ComponentType<PictureProps>>((resolve) => {
        const stop = store.subscribe(({ load: provided }) => {
          stop();
          if (provided !== undefined) resolve(provided());
        });
      });
    },
  };
});
