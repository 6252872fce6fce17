import { Suspense, useState } from 'react';
import { createPortal } from 'react-dom';
import { RoiLayer } from '../draw/marks/rois/RoiLayer.tsx';
import { useCine } from '../show/cine/useCine.ts';
import { NothingFound } from '../find/files/NothingFound.tsx';
import { useBrush } from '../draw/marks/sync/marks.ts';
import { useProposal } from '../draw/marks/tools/proposals.ts';
import { MeasureLayer } from '../draw/marks/shapes/MeasureLayer.tsx';
import { ColorLegend } from '../show/readouts/ColorLegend.tsx';
import { CornerTexts, QualityBadge } from '../show/readouts/CornerTexts.tsx';
import { DamageBadge } from '../show/readouts/DamageBadge.tsx';
import { OrientationLetters } from '../show/readouts/OrientationLetters.tsx';
import texts from '../show/readouts/readoutGrid.module.css';
import { ScaleBar } from '../show/readouts/ScaleBar.tsx';
import { WarningsBadge } from '../show/readouts/WarningsBadge.tsx';
import { WindowEntry } from '../show/readouts/WindowEntry.tsx';
import { useCells } from '../kit/state/cells.ts';
import { hasLayer, isUsualField, useShownLayers } from '../kit/state/layers.ts';
import { findFile, useLibrary } from '../kit/state/library.ts';
import { isPresentation } from '../kit/state/presentations.ts';
import { usePage } from '../kit/state/page.ts';
import { usePanels } from '../kit/state/panels.ts';
import { isBrushTool, type ToolName } from '../kit/state/tools.ts';
import { usePicture } from '../show/pictures/pictureKinds.ts';
import { CrosshairLayer } from '../show/tools/CrosshairLayer.tsx';
import { HoleLayer } from '../show/tools/HoleLayer.tsx';
import { WaitingLayer } from '../show/tools/WaitingLayer.tsx';
import { WindowBox } from '../show/tools/WindowBox.tsx';
import { useDetailsAtRest } from '../show/pictures/useDetailsAtRest.ts';
import styles from './Grid.module.css';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import { chunkComponentsOf } from './chunkComponents.ts';
import { NoPicture } from './NoPicture.tsx';

type Props = {
  readonly cell: number;
  readonly isOneOfSeveral: boolean;
  /** The element that contains the texts. */
  readonly readouts: HTMLElement;
};

/** Everything drawn and written over the image of a cell. */
export function CellLayers({ cell, isOneOfSeveral, readouts }: Props) {
  const page = usePage();
  const {
    BrushLayer,
    ComparedCell,
    LayerCanvas,
    LayerLegends,
    LayerNotes,
    PresentationNotes,
    SlideRoiLayer,
    StateGraphics,
  } = chunkComponentsOf(page);
  const picture = usePicture(cell);
  const isEmpty = useCells(({ cells }) => cells[cell]?.pictureId === undefined);
  const { measures = true, plays = true, frames = 'pictures' } = picture?.traits ?? {};
  const file = useLibrary(() => findFile(page, picture?.stack?.fileIndex));
  const isLaidOver = useShownLayers(cell, ({ shown }) => shown.length > 0);
  const mayBeLaidOver = useLibrary(
    ({ files, attachments }) => attachments.length > 0 || files.some((one) => hasLayer(one) || isUsualField(one)),
  );
  const areLayers = isLaidOver || mayBeLaidOver;
  const areApplied = useCells(({ cells }) => cells[cell]?.presentation !== undefined);
  const mayBePresented = useLibrary(({ files }) => files.some(isPresentation));
  const isProposed = useProposal((proposal) => proposal !== undefined);
  const isComparing = usePanels(({ compareText }) => compareText !== undefined);
  const hasBrush = useBrush() || isProposed;
  const [isHeld, setHeld] = useState(false);
  const waiting = { cell, isHeld, onHeld: setHeld };
  const hasFiles = useLibrary(({ files }) => files.length > 0);
  if (picture?.isPaper === true) return null;
  return (
    <>
      {picture?.holesOf !== undefined && <HoleLayer cell={cell} />}
      <ChunkBoundary>{areLayers && <LayerCanvas cell={cell} />}</ChunkBoundary>
      <ChunkBoundary>{areApplied && <StateGraphics cell={cell} />}</ChunkBoundary>
      {frames === 'pictures' && <FrameLayer cell={cell} />}
      <ChunkBoundary>
        <Suspense fallback={<WaitingLayer {...waiting} isOwnTool={isRoiTool} text="Loading the ROI tool…" />}>
          {frames === 'tiles' && <SlideRoiLayer cell={cell} />}
        </Suspense>
      </ChunkBoundary>
      <ChunkBoundary>
        <Suspense fallback={<WaitingLayer {...waiting} isOwnTool={isBrushTool} text="Loading the brush…" />}>
          {(hasBrush || isHeld) && <BrushLayer cell={cell} />}
        </Suspense>
      </ChunkBoundary>
      <ChunkBoundary>{isComparing && <ComparedCell cell={cell} />}</ChunkBoundary>
      {plays && <Cine cell={cell} />}
      <CrosshairLayer cell={cell} />
      {measures && <MeasureLayer cell={cell} />}
      {picture?.positions === 0 && file !== undefined && <NoPicture file={file} />}
      {isEmpty && isOneOfSeveral && hasFiles && <EmptyCell />}
      {cell === 0 && <NothingFound />}
      {createPortal(
        <>
          <CornerTexts cell={cell} />
          <OrientationLetters cell={cell} />
          <ScaleBar cell={cell} />
          <ColorLegend cell={cell} />
          <ChunkBoundary>{areLayers && <LayerLegends cell={cell} />}</ChunkBoundary>
          <DamageBadge cell={cell} />
          <div className={texts.badges}>
            <ChunkBoundary>{areLayers && <LayerNotes cell={cell} />}</ChunkBoundary>
            <ChunkBoundary>{(areApplied || mayBePresented) && <PresentationNotes cell={cell} />}</ChunkBoundary>
            <QualityBadge cell={cell} />
            <WarningsBadge cell={cell} />
          </div>
        </>,
        readouts,
      )}
      <WindowEntry cell={cell} />
      <WindowBox cell={cell} />
    </>
  );
}

/** Who compares need not drag. */
function EmptyCell() {
  const isComparing = usePanels(({ task }) => task === 'compare');
  return (
    <p className={styles.message}>
      {isComparing ? 'Click a series in the list to compare it, or drop one here' : 'Drop a series here'}
    </p>
  );
}

function isRoiTool(tool: ToolName): boolean {
  return tool === 'roi';
}

function FrameLayer({ cell }: { readonly cell: number }) {
  useDetailsAtRest(cell);
  return <RoiLayer cell={cell} />;
}

function Cine({ cell }: { readonly cell: number }) {
  useCine(cell);
  return null;
}
