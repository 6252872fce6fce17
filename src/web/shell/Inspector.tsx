import { type KeyboardEvent, type ReactNode, useEffect, useId } from 'react';
import type { FileRecord } from '../../shared/contract/files.ts';
import { ContextPanel } from '../read/context/ContextPanel.tsx';
import { ReferencesPanel } from '../read/references/ReferencesPanel.tsx';
import { useLibrary } from '../kit/state/library.ts';
import { usePage } from '../kit/state/page.ts';
import { type InspectorTab, panelsOf, setPanels, showTab, usePanels } from '../kit/state/panels.ts';
import { SkippedTagPanel } from '../read/tags/SkippedTagPanel.tsx';
import { TagPanel } from '../read/tags/TagPanel.tsx';
import { useActiveFile } from './activeCell.ts';
import { ChunkBoundary } from './ChunkBoundary.tsx';
import { chunkComponentsOf } from './chunkComponents.ts';
import styles from './Inspector.module.css';

type Tab = { readonly name: InspectorTab; readonly title: string; readonly content: () => ReactNode };

const TABS: readonly Tab[] = [
  { name: 'layers', title: 'Layers', content: () => <OfActiveFile panel={ContextPanel} /> },
  { name: 'marks', title: 'Marks', content: () => <Marks /> },
  { name: 'tags', title: 'Tags', content: () => <OfActiveFile panel={Tags} /> },
  { name: 'references', title: 'References', content: () => <OfActiveFile panel={ReferencesPanel} /> },
];

export function Inspector() {
  const page = usePage();
  const id = useId();
  const chosen = usePanels((panels) => panels.tab);
  const current = TABS.find(({ name }) => name === chosen) ?? TABS[0];
  if (current === undefined) return undefined;
  const onKeyDown = ({ key }: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const next = step === undefined ? undefined : TABS[(TABS.indexOf(current) + step + TABS.length) % TABS.length];
    if (next === undefined) return;
    showTab(page, next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  const keepTab = () => {
    if (panelsOf(page).getState().tabBy === 'page') setPanels(page, { tabBy: 'use' });
  };
  return (
    // Only notes that the panel is used.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className={styles.inspector} onPointerDown={keepTab} onKeyDown={keepTab}>
      <div className={styles.tabs} role="tablist" aria-label="Inspector">
        {TABS.map(({ name, title }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            className={styles.tab}
            aria-selected={name === current.name}
            aria-controls={`${id}-panel`}
            tabIndex={name === current.name ? 0 : -1}
            onClick={() => showTab(page, name)}
            onKeyDown={onKeyDown}
          >
            {title}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} className={styles.panel} role="tabpanel" aria-labelledby={`${id}-${current.name}`}>
        {current.content()}
      </div>
    </div>
  );
}

function Marks() {
  const { MarkPanel } = chunkComponentsOf(usePage());
  return (
    <ChunkBoundary>
      <MarkPanel />
    </ChunkBoundary>
  );
}

/** Tags of the image on screen, or of a file that cannot be shown, until another image is selected. */
function Tags({ file }: { readonly file: FileRecord | undefined }) {
  const skippedFile = usePanels((panels) => panels.skippedFile);
  return skippedFile === undefined ? (
    <TagPanel file={file} />
  ) : (
    <UntilOther key={file?.index}>
      <SkippedTagPanel key={skippedFile.id} file={skippedFile} />
    </UntilOther>
  );
}

/** A new key mounts a new instance; unmounting the old one returns to the tags of the image. */
function UntilOther({ children }: { readonly children: ReactNode }) {
  const page = usePage();
  useEffect(() => () => setPanels(page, { skippedFile: undefined }), [page]);
  return children;
}

type FilePanel = (props: { readonly file: FileRecord | undefined }) => ReactNode;

/** The key discards the state of the panel when the server restarts, because file indices then refer to other files. */
function OfActiveFile({ panel: Panel }: { readonly panel: FilePanel }) {
  const serverRuns = useLibrary((library) => library.serverRuns);
  return <Panel key={serverRuns} file={useActiveFile()} />;
}
