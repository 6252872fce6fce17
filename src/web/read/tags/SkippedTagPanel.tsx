import { X } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { toWords } from '../../show/series/filterFiles.ts';
import { usePage } from '../../kit/state/page.ts';
import { setPanels, type SkippedFile, usePanels } from '../../kit/state/panels.ts';
import { SearchBox } from '../../kit/ui/SearchBox.tsx';
import { ToolButton } from '../../kit/ui/ToolButton.tsx';
import { TagDetail } from './TagDetail.tsx';
import styles from './TagPanel.module.css';
import { TagTree } from './TagTree.tsx';
import { findNodeAt, useTags } from './useTags.ts';

/** The data elements of a file that is not in the list, such as a DICOMDIR, as far as they can be read. */
export function SkippedTagPanel({ file }: { readonly file: SkippedFile }) {
  const page = usePage();
  const search = usePanels((panels) => panels.tagSearch);
  const words = toWords(useDeferredValue(search));
  const [selected, setSelected] = useState<string>();
  const place = `not-shown/${file.id}` as const;
  const tags = useTags(place);
  const node = selected === undefined ? undefined : findNodeAt(tags.nodes, selected);
  return (
    <div className={styles.panel}>
      <p className={styles.against} title={file.path}>
        <span>{file.path.slice(file.path.lastIndexOf('/') + 1)}</span>
        <ToolButton label="Back to the tags of the image" onClick={() => setPanels(page, { skippedFile: undefined })}>
          <X size={14} aria-hidden="true" />
        </ToolButton>
      </p>
      <p className={styles.reason}>Not shown: {file.reason}. The tags that can be read are listed below.</p>
      <div className={styles.head}>
        <SearchBox
          label="Find a tag"
          placeholder="Tag, keyword, name or value"
          value={search}
          onChange={(tagSearch) => setPanels(page, { tagSearch })}
        />
      </div>
      {tags.error !== undefined && (
        <p className={styles.error} role="alert">
          {tags.error}
        </p>
      )}
      <TagTree
        nodes={tags.nodes}
        words={words}
        isStale={tags.place !== place}
        selected={selected}
        onSelect={setSelected}
        onMore={(path) => void tags.loadMore(path)}
      />
      {node !== undefined && selected !== undefined && (
        <TagDetail
          node={node}
          path={selected}
          onWhole={() => void tags.loadMore(selected)}
          onClose={() => setSelected(undefined)}
        />
      )}
    </div>
  );
}
