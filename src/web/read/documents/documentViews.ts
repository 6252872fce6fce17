import { type ComponentType, lazy } from 'react';
import type { DocumentKindName } from '../../../shared/contract/documentTerms.ts';
import type { DocumentResponse } from '../../../shared/contract/documents.ts';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { loadChunk } from '../../kit/state/loadChunk.ts';
import { definePart, type Page } from '../../kit/state/page.ts';

export type DocumentViewProps = {
  readonly cell: number;
  readonly file: FileRecord;
  readonly document: DocumentResponse;
  /** The place in the document that the address names: a content item, a page, a beam, a time. */
  readonly item: string | undefined;
  /** Writes the place into the address. */
  readonly setItem: (item: string | undefined) => void;
};

type DocumentView = {
  /** Imports the folder of the kind, which is one chunk. */
  readonly load: () => Promise<ComponentType<DocumentViewProps>>;
  /** It takes all of the cell and scrolls by itself; the summary is behind a button. Otherwise the summary is below it. */
  readonly fills?: true;
  /** The summary below it is open, because it has tables that the view does not repeat. */
  readonly opensSummary?: true;
};

/** What shows the content of a kind of document. A kind without a line has its summary only. */
const VIEWS: { readonly [kind in DocumentKindName]?: DocumentView } = {
  report: { load: async () => (await import('./report/ReportView.tsx')).ReportView },
  procedure_log: { load: async () => (await import('./report/ReportView.tsx')).ReportView },
  key_objects: { load: async () => (await import('./keyObjects/KeyObjectsView.tsx')).KeyObjectsView },
  plan: { load: async () => (await import('./plan/PlanView.tsx')).PlanView, opensSummary: true },
  record: { load: async () => (await import('./plan/PlanView.tsx')).PlanView, opensSummary: true },
  pdf: { load: async () => (await import('./pdf/PdfView.tsx')).PdfView, fills: true },
  waveform: { load: async () => (await import('./waveform/WaveformView.tsx')).WaveformView, fills: true },
  spectroscopy: { load: async () => (await import('./spectroscopy/SpectrumView.tsx')).SpectrumView, fills: true },
  video: { load: async () => (await import('./video/VideoView.tsx')).VideoView, fills: true },
  cda: { load: async () => (await import('./cda/NarrativeView.tsx')).NarrativeView },
  mesh: { load: async () => (await import('./mesh/MeshView.tsx')).MeshView },
  material: { load: async () => (await import('./FileView.tsx')).FileView, opensSummary: true },
  file: { load: async () => (await import('./FileView.tsx')).FileView, opensSummary: true },
};

export type LazyDocumentView = {
  readonly Component: ComponentType<DocumentViewProps>;
  readonly fills: boolean;
  readonly opensSummary: boolean;
};

/** The view of a kind; undefined if it has none. The same component each time. */
export function documentViewOf(page: Page, kind: DocumentKindName): LazyDocumentView | undefined {
  const known = viewsOf(page).get(kind);
  const view = VIEWS[kind];
  if (known !== undefined || view === undefined) return known;
  const Component = lazy(async () => ({ default: await loadChunk(page, view.load) }));
  const made = { Component, fills: view.fills === true, opensSummary: view.opensSummary === true };
  viewsOf(page).set(kind, made);
  return made;
}

const viewsOf = definePart(() => new Map<DocumentKindName, LazyDocumentView>());
