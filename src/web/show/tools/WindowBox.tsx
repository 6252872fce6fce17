import { useStore } from 'zustand';
import styles from './WindowBox.module.css';
import { usePage } from '../../kit/state/page.ts';
import { windowBoxOf } from './windowBoxTool.ts';

/** The box that the user is drawing to set the window. */
export function WindowBox({ cell }: { readonly cell: number }) {
  const page = usePage();
  const box = useStore(windowBoxOf(page), (state) => (state.box?.cell === cell ? state.box : undefined));
  if (box === undefined) return null;
  const { x, y, width, height } = box;
  return (
    <svg className={styles.layer} aria-hidden="true">
      <rect className={styles.halo} x={x} y={y} width={width} height={height} />
      <rect className={styles.line} x={x} y={y} width={width} height={height} />
    </svg>
  );
}
