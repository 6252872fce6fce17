import { ChevronsDownUp, ChevronsUpDown, FolderTree, ListTree, Table2 } from 'lucide-react';
import { useId, useState } from 'react';
import { openCohort } from '../../kit/state/cohortPlace.ts';
import { useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { setPanels, usePanels } from '../../kit/state/panels.ts';
import { groupDigits } from '../../kit/ui/groupDigits.ts';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import styles from './Explorer.module.css';
import { explainNothing } from './explainReasons.ts';
import { FilterBox } from './FilterBox.tsx';
import { NotShown } from './NotShown.tsx';
import { OrderMenu } from './OrderMenu.tsx';
import { Tree } from './Tree.tsx';
import { useExplorerTree } from './useExplorerTree.ts';
import { useOpenLines } from './useOpenLines.ts';

export function Explorer() {
  const page = usePage();
  const view = usePanels((panels) => panels.explorerView);
  const order = usePanels((panels) => panels.explorerOrder);
  const total = useLibrary((library) => library.files.length);
  const summary = useLibrary((library) => library.summary);
  const isLoading = summary === undefined || !summary.scan_complete || summary.more;
  const id = useId();
  const [filter, setFilter] = useState('');
  const tree = useExplorerTree({ view, order, filter });
  const lines = useOpenLines(tree);
  const nothing = explainNothing(total, summary);
  return (
    <div className={styles.explorer}>
      <div className={styles.head}>
        <FilterBox value={filter} onChange={setFilter} describedBy={id} />
        <div className={styles.row}>
          {tree.text !== '' && (
            // Of the tree that is shown: never a count of one filter beside the lines of another.
            <output className={styles.found}>
              {groupDigits(tree.shown)} of {groupDigits(tree.total)}
              <span className={styles.word}> {tree.total === 1 ? 'file' : 'files'}</span>
              {isLoading && '; the list is still being read'}
            </output>
          )}
          <ToolButton
            label="Patients and studies"
            isOn={view === 'study'}
            onClick={() => setPanels(page, { explorerView: 'study' })}
          >
            <ListTree size={16} />
          </ToolButton>
          <ToolButton
            label="Folders"
            isOn={view === 'folder'}
            onClick={() => setPanels(page, { explorerView: 'folder' })}
          >
            <FolderTree size={16} />
          </ToolButton>
          <ToolButton label="Table and gallery of all files" keyHint="Alt+5" onClick={() => openCohort(page)}>
            <Table2 size={16} />
          </ToolButton>
          <OrderMenu />
          {lines.isAnyOpen ? (
            <ToolButton label="Collapse all" onClick={lines.collapseAll}>
              <ChevronsDownUp size={16} />
            </ToolButton>
          ) : (
            <ToolButton label="Expand all" onClick={lines.expandAll}>
              <ChevronsUpDown size={16} />
            </ToolButton>
          )}
        </div>
        <p id={id} className={styles.note}>
          {tree.note}
        </p>
      </div>
      {nothing !== undefined && <p className={styles.empty}>{nothing}</p>}
      <Tree
        key={tree.view}
        nodes={tree.nodes}
        index={tree.index}
        toggled={lines.toggled}
        filter={tree.text}
        isStale={tree.isStale}
        label={tree.view === 'study' ? 'Patients and studies' : 'Folders'}
        onToggle={lines.toggle}
      />
      {summary !== undefined && <NotShown summary={summary} />}
    </div>
  );
}
