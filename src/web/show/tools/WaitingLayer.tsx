import { useEffect, useRef } from 'react';
import { usePage } from '../../kit/state/page.ts';
import { type HoldOptions, holdPresses } from './holdPresses.ts';
import styles from './WaitingLayer.module.css';

/** The functions must be stable. */
export type WaitingLayerProps = Pick<HoldOptions, 'cell' | 'isOwnTool' | 'onHeld'> & {
  readonly isHeld: boolean;
  /** What a user reads who has used such a tool. */
  readonly text: string;
};

/**
 * Stands for a layer of marks while its code is loaded: presses with its tools are kept, and act when the layer is there.
 * Must be rendered inside the cell.
 */
export function WaitingLayer({ cell, isOwnTool, onHeld, isHeld, text }: WaitingLayerProps) {
  const page = usePage();
  const ref = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    const surface = ref.current?.closest('figure');
    if (!surface) return undefined;
    return holdPresses(page, { cell, surface, isOwnTool, onHeld });
  }, [page, cell, isOwnTool, onHeld]);
  return (
    <output ref={ref} className={styles.waiting}>
      {isHeld && text}
    </output>
  );
}
