import { useEffect, useMemo, useRef, useState } from 'react';
import { fetchMesh, type MeshData } from '../../../kit/api/documents.ts';
import { useAnswer } from '../../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../../kit/ui/PanelMessage.tsx';
import { ContentButtons } from '../ContentButtons.tsx';
import cellStyles from '../DocumentCell.module.css';
import type { DocumentViewProps } from '../documentViews.ts';
import { FactList } from '../FactList.tsx';
import { createMeshPainter, type MeshPainter } from './meshPainter.ts';
import styles from './MeshView.module.css';
import { limitTurn, placeCorners, type MeshTurn, turnByKey } from './turnMesh.ts';

/** A model on a turntable, with its measures. */
export function MeshView({ file, document }: DocumentViewProps) {
  const { value, error, retry } = useAnswer(file.index, fetchMesh);
  return (
    <>
      <FailureMessage error={error} onRetry={retry} />
      {value === undefined && error === undefined && <p className={cellStyles.quiet}>Loading…</p>}
      {value !== undefined && <Turntable mesh={value} />}
      <FactList facts={document.facts.filter(({ section }) => section === 'Mesh')} />
      <p>
        <ContentButtons file={file} />
      </p>
    </>
  );
}

const FIRST: MeshTurn = { around: 0.6, up: 0.4, zoom: 1 };
const RADIANS_PER_PIXEL = 0.01;

function Turntable({ mesh }: { readonly mesh: MeshData }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<MeshPainter>(undefined);
  const [turn, setTurn] = useState(FIRST);
  const latest = useRef(turn);
  const corners = useMemo(() => placeCorners(mesh), [mesh]);

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const made = createMeshPainter(element, corners);
    painter.current = made;
    const fit = () => {
      setSize(element);
      made.paint(latest.current);
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => observer.disconnect();
  }, [corners]);
  useEffect(() => {
    latest.current = turn;
    painter.current?.paint(turn);
  }, [turn]);

  return (
    <canvas
      ref={canvas}
      className={styles.stage}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a canvas is drawn, not loaded
      role="img"
      aria-label="Model. The arrow keys turn it, plus and minus change its size."
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keys turn it
      tabIndex={0}
      onKeyDown={(event) => {
        const next = turnByKey(turn, event.key);
        if (next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        setTurn(next);
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (event.buttons !== 1) return;
        const { movementX, movementY } = event;
        setTurn(({ around, up, zoom }) =>
          limitTurn({ around: around + movementX * RADIANS_PER_PIXEL, up: up + movementY * RADIANS_PER_PIXEL, zoom }),
        );
      }}
    />
  );
}

function setSize(element: HTMLCanvasElement): void {
  const { width, height } = element.getBoundingClientRect();
  element.width = Math.max(1, Math.round(width * devicePixelRatio));
  element.height = Math.max(1, Math.round(height * devicePixelRatio));
}
