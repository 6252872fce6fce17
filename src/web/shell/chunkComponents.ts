import { lazy } from 'react';
import { loadChunk } from '../kit/state/loadChunk.ts';
import { definePart } from '../kit/state/page.ts';

/** Components that not every page needs; each is one request when it is first used. */
export const chunkComponentsOf = definePart((page) => ({
  MarkPanel: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/panel/MarkPanel.tsx'))).MarkPanel,
  })),
  ClassBar: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/panel/ClassBar.tsx'))).ClassBar,
  })),
  SaveMarks: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/panel/SaveMarks.tsx'))).SaveMarks,
  })),
  AssistantMenu: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/assistants/AssistantMenu.tsx'))).AssistantMenu,
  })),
  AssistantLines: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/assistants/AssistantMenu.tsx'))).AssistantLines,
  })),
  Review: lazy(async () => ({ default: (await loadChunk(page, () => import('../find/review/Review.tsx'))).Review })),
  CohortPage: lazy(async () => ({ default: (await loadChunk(page, () => import('./CohortPage.tsx'))).CohortPage })),
  PageDialog: lazy(async () => ({ default: (await loadChunk(page, () => import('./PageDialog.tsx'))).PageDialog })),
  Lightbox: lazy(async () => ({ default: (await loadChunk(page, () => import('./lightbox/Lightbox.tsx'))).Lightbox })),
  DvhPanel: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/dvh/DvhPanel.tsx'))).DvhPanel,
  })),
  ComparePanel: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/compare/ComparePanel.tsx'))).ComparePanel,
  })),
  ComparedCell: lazy(async () => ({
    default: (await loadChunk(page, () => import('./ComparedCell.tsx'))).ComparedCell,
  })),
  LayerCanvas: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/layers/LayerCanvas.tsx'))).LayerCanvas,
  })),
  LayerNotes: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/layers/LayerCanvas.tsx'))).LayerNotes,
  })),
  LayerLegends: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/layers/LayerCanvas.tsx'))).LayerLegends,
  })),
  StateGraphics: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/presentation/PresentationParts.tsx'))).StateGraphics,
  })),
  PresentationNotes: lazy(async () => ({
    default: (await loadChunk(page, () => import('../over/presentation/PresentationParts.tsx'))).PresentationNotes,
  })),
  BrushLayer: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/masks/BrushLayer.tsx'))).BrushLayer,
  })),
  SlideRoiLayer: lazy(async () => ({
    default: (await loadChunk(page, () => import('../draw/marks/rois/SlideRoiLayer.tsx'))).SlideRoiLayer,
  })),
}));
