import { useMemo, useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import type { ReferencedByResponse } from '../../../shared/contract/references.ts';
import { fetchReferencedBy, fetchReferences } from '../../kit/api/references.ts';
import { openOverTarget } from '../../over/layers/openOverTarget.ts';
import { fileName, formatCount } from '../../show/series/describeFile.ts';
import { cellsOf } from '../../kit/state/cells.ts';
import { hasLayer } from '../../kit/state/layers.ts';
import { findFile, useLibrary } from '../../kit/state/library.ts';
import { type Page, usePage } from '../../kit/state/page.ts';
import { showFrame } from '../../show/pictures/shownFrame.ts';
import { untilComplete, useAnswer } from '../../kit/state/useAnswer.ts';
import { CopyButton } from '../../kit/ui/CopyButton.tsx';
import { DetailPane } from '../../kit/ui/DetailPane.tsx';
import { FailureMessage, PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { TreeView } from '../../kit/ui/TreeView.tsx';
import { type LinkRow, listLinkRows } from './linkRows.ts';
import { linksFrom, linksTo, type ObjectLink } from './links.ts';
import styles from './ReferencesPanel.module.css';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { withToggled } from '../../kit/ui/treeKeys.ts';

const REFERENCED_BY = untilComplete(fetchReferencedBy);

/** The objects that a file refers to, and those that refer to it. */
export function ReferencesPanel({ file }: { readonly file: FileRecord | undefined }) {
  const page = usePage();
  const references = useAnswer(file?.index, fetchReferences);
  const referencedBy = useAnswer(file?.index, REFERENCED_BY);
  const files = useLibrary((library) => library.files);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<string>();
  // Both lists must be of the same file: showing the lists of two files together would be wrong.
  const isMixed = references.fileIndex !== referencedBy.fileIndex;
  const to = isMixed && references.fileIndex !== file?.index ? undefined : references.value;
  const from = isMixed && referencedBy.fileIndex !== file?.index ? undefined : referencedBy.value;
  const links = useMemo(() => {
    const find = (index: number) => files[index];
    return { to: to && linksTo(to.references, find), from: from && linksFrom(from.referrers, find) };
  }, [to, from, files]);
  const rows = useMemo(() => listLinkRows(links, toggled), [links, toggled]);
  if (file === undefined) return <PanelMessage>No file is open.</PanelMessage>;

  const toggle = ({ key }: LinkRow) => {
    setToggled((known) => withToggled(known, key));
  };
  const act = (row: LinkRow) => {
    setSelected(row.key);
    openRow(page, row);
    // A click shows the frames of a link. A second click does not hide them again.
    if (row.hasChildren && !(row.kind === 'link' && row.isOpen)) toggle(row);
  };
  const told = (isMixed ? undefined : findFile(page, references.fileIndex)) ?? file;
  const failed = [references, referencedBy].find(({ error }) => error !== undefined);
  const isStale = [references, referencedBy].some(({ fileIndex }) => fileIndex !== file.index);
  const current = rows.find(({ key }) => key === selected);
  return (
    <div className={styles.panel}>
      <p className={styles.file} title={told.path}>
        {fileName(told)}
      </p>
      <FailureMessage error={failed?.error} onRetry={failed?.retry} />
      <TreeView
        label="References"
        rows={rows}
        selected={selected}
        isStale={isStale}
        onSelect={({ key }) => setSelected(key)}
        onAct={act}
        onToggle={toggle}
        empty={failed === undefined && <PanelMessage>Loading references…</PanelMessage>}
      >
        {(row) => <RowTexts row={row} />}
      </TreeView>
      {from !== undefined && <SearchState answer={from} isCut={to?.truncated === true} />}
      {current !== undefined && current.kind !== 'heading' && (
        <LinkDetail link={current.link} onOpen={() => openRow(page, current)} onClose={() => setSelected(undefined)} />
      )}
    </div>
  );
}

function openRow(page: Page, row: LinkRow): void {
  if (row.kind === 'heading' || row.link.file === undefined) return;
  const { file, frames } = row.link;
  if (hasLayer(file)) void openOverTarget(page, file.index, cellsOf(page).getState().activeCell);
  else showFrame(page, file.index, row.kind === 'frame' ? row.frame : (frames[0] ?? 0));
}

function RowTexts({ row }: { readonly row: LinkRow }) {
  switch (row.kind) {
    case 'heading':
      return (
        <span className={row.level === 1 ? styles.direction : styles.group}>
          {row.title} <span className={styles.quiet}>{groupDigits(row.count)}</span>
        </span>
      );
    case 'frame':
      return <span className={styles.open}>Frame {row.frame + 1}</span>;
    case 'link': {
      const { title, detail, file, uid } = row.link;
      return (
        <>
          <span className={file === undefined ? styles.missing : styles.open} title={file?.path ?? uid}>
            {title}
          </span>
          <span className={styles.detail}>
            {file === undefined && 'not open · '}
            {detail}
          </span>
        </>
      );
    }
  }
}

type SearchProps = {
  readonly answer: ReferencedByResponse;
  /** Not all of the references in the file itself are listed. */
  readonly isCut: boolean;
};

/** Says whether the lists are incomplete; renders nothing if they are complete. */
function SearchState({ answer, isCut }: SearchProps) {
  const { complete, unread_count, truncated } = answer;
  const said = [
    complete ? '' : 'Searching for objects that refer to this file…',
    unread_count === 0 ? '' : `${formatCount(unread_count, 'object')} could not be read.`,
    isCut ? 'This file has more references than can be listed.' : '',
    truncated ? 'There are too many references to follow all of them. Other objects may refer to this file.' : '',
  ].filter((sentence) => sentence !== '');
  if (said.length === 0) return undefined;
  return <output className={styles.state}>{said.join(' ')}</output>;
}

type DetailProps = { readonly link: ObjectLink; readonly onOpen: () => void; readonly onClose: () => void };

/** Details of the object at one end of a reference, with buttons to copy its UID and path. */
function LinkDetail({ link: { title, detail, uid, file }, onOpen, onClose }: DetailProps) {
  return (
    <DetailPane
      label="Selected reference"
      title={title}
      detail={detail}
      lines={[file?.path ?? 'Not among the open files.', uid]}
      onClose={onClose}
      actions={
        <>
          {file !== undefined && (
            <button type="button" className={styles.action} onClick={onOpen}>
              Open
            </button>
          )}
          <CopyButton label="Copy UID" text={uid} />
          {file !== undefined && <CopyButton label="Copy path" text={file.path} />}
        </>
      }
    />
  );
}
