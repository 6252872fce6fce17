import { useEffect, useRef } from 'react';
import { followStores, type Watched } from './followStores.ts';

export type LiveTextProps = {
  readonly className: string | undefined;
  readonly stores: readonly Watched[];
  /** Changes of this store are shown immediately, not in the next animation frame. */
  readonly atOnce?: Watched;
  /** Must be stable, as must `stores`. An empty text hides the element. */
  readonly text: () => string;
};

/** A text that follows stores without React, because it changes with every pointer move. */
export function LiveText({ className, stores, atOnce, text }: LiveTextProps) {
  const ref = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null) return undefined;
    let last: string | undefined;
    const write = () => {
      const next = text();
      if (next === last) return;
      last = next;
      element.textContent = next;
      element.hidden = next === '';
    };
    return followStores(stores, write, atOnce);
  }, [stores, atOnce, text]);
  return <p ref={ref} className={className} />;
}
