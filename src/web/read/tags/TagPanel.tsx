import { GitCompareArrows, X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import type { FileRecord } from '../../../shared/contract/files.ts';
import { toWords } from '../../show/series/filterFiles.ts';
import { explainMissingPicture, fileName, isImageMissing } from '../../show/series/describeFile.ts';
import { downloadFile, downloadTags } from '../../show/series/downloadFile.ts';
import { findFile } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { setPanels, usePanels } from '../../kit/state/panels.ts';
import { SearchBox } from '../../kit/ui/SearchBox.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { CompareTable } from './CompareTable.tsx';
import { FilePicker } from './FilePicker.tsx';
import { TagDetail } from './TagDetail.tsx';
import styles from './TagPanel.module.css';
import { TagTree } from './TagTree.tsx';
import { fileIndexOf, findNodeAt, useTags } from './useTags.ts';

/** The data elements of one file, and how they differ from those of another. */
export function TagPanel({ file }: { readonly file: FileRecord | undefined }) {
  const page = usePage();
  const search = usePanels((panels) => panels.tagSearch);
  const words = toWords(useDeferredValue(search));
  const [selected, setSelected] = useState<string>();
  const [isPicking, setPicking] = useState(false);
  const [other, setOther] = useState<FileRecord>();
  const place = file && (`file/${file.index}` as const);
  const tags = useTags(place);
  if (file === undefined) return <p className={styles.empty}>No file is open.</p>;
  // Until the file's own tags arrive, the whole panel still describes the previous image.
  const told = findFile(page, fileIndexOf(tags.place)) ?? file;
  const node = selected === undefined ? undefined : findNodeAt(tags.nodes, selected);
  return (
    <div className={styles.panel}>
      <p className={styles.file} title={told.path}>
        {fileName(told)}
      </p>
      {isImageMissing(told) && <p className={styles.reason}>{explainMissingPicture(told)}</p>}
      <div className={styles.head}>
        <SearchBox
          label="Find a tag"
          placeholder="Tag, keyword, name or value"
          value={search}
          onChange={(tagSearch) => setPanels(page, { tagSearch })}
        />
        <ToolButton
          label="Compare with another file"
          isOn={isPicking || other !== undefined}
          onClick={() => {
            setOther(undefined);
            setPicking(!isPicking && other === undefined);
          }}
        >
          <GitCompareArrows size={16} aria-hidden="true" />
        </ToolButton>
      </div>
      {isPicking && (
        <FilePicker
          except={file.index}
          onPick={(picked) => {
            setOther(picked);
            setPicking(false);
          }}
          onCancel={() => setPicking(false)}
        />
      )}
      {tags.error !== undefined && (
        <p className={styles.error} role="alert">
          {tags.error}
        </p>
      )}
      {other !== undefined && (
        <>
          <p className={styles.against}>
            <span>Differences from {fileName(other)}</span>
            <ToolButton label="Close comparison" onClick={() => setOther(undefined)}>
              <X size={14} aria-hidden="true" />
            </ToolButton>
          </p>
          <CompareTable left={file} right={other} words={words} />
        </>
      )}
      {other === undefined && (
        <>
          <TagTree
            nodes={tags.nodes}
            words={words}
            isStale={tags.place !== place}
            selected={selected}
            onSelect={setSelected}
            onMore={(path) => void tags.loadMore(path)}
            moreActions={[
              { title: 'Compare with another file…', run: () => setPicking(true) },
              { title: 'Download file', run: () => void downloadFile(page, told) },
              { title: 'Download tags as CSV', run: () => void downloadTags(page, told, 'file') },
              { title: 'Download tags of the series as CSV', run: () => void downloadTags(page, told, 'series') },
            ]}
          />
          {node !== undefined && selected !== undefined && (
            <TagDetail
              node={node}
              path={selected}
              onWhole={() => void tags.loadMore(selected)}
              onClose={() => setSelected(undefined)}
            />
          )}
        </>
      )}
    </div>
  );
}
