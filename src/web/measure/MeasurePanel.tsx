import { Download } from 'lucide-react';
import { useMemo } from 'react';
import type { FileRecord } from '../../shared/contract/files.ts';
import { useLibrary } from '../state/library.ts';
import { usePage } from '../state/page.ts';
import { CopyButton } from '../ui/CopyButton.tsx';
import { download } from '../ui/download.ts';
import list from '../ui/ListPanel.module.css';
import { PanelMessage } from '../ui/PanelMessage.tsx';
import { ToolButton } from '../ui/ToolButton.tsx';
import { formatCsv, formatText, type MeasuredFile } from './exportMeasurements.ts';
import styles from './MeasurePanel.module.css';
import type { Measurement } from './measurement.ts';
import { MeasureRow } from './MeasureRow.tsx';
import { useMeasurements } from './measurements.ts';

const FILE_NAME = 'measurements.csv';

/** Lists all measurements of this page; the user can jump to them, copy them and download them. */
export function MeasurePanel() {
  const page = usePage();
  const items = useMeasurements((state) => state.items);
  const files = useLibrary((library) => library.files);
  const measured = useMemo(() => listMeasured(items, files), [items, files]);
  const selectedId = useMeasurements((state) => state.selectedId);
  if (measured.length === 0) {
    return (
      <PanelMessage>
        No measurements. Select length (L), angle (A), ellipse (E), rectangle (Shift+E) or pixel value (Q) and drag on
        the image.
      </PanelMessage>
    );
  }
  return (
    <section className={list.panel} aria-label="Measurements">
      <div className={list.tools}>
        <CopyButton label="Copy as text" text={formatText(page, measured)} />
        <ToolButton
          label="Download measurements as CSV"
          className={list.export ?? ''}
          onClick={() => download(new Blob([formatCsv(measured)], { type: 'text/csv' }), FILE_NAME)}
        >
          <Download size={16} aria-hidden="true" />
          CSV
        </ToolButton>
      </div>
      <ul className={list.list}>
        {measured.map(({ item, file }) => (
          <MeasureRow key={item.id} item={item} file={file} isSelected={item.id === selectedId} />
        ))}
      </ul>
      <p className={styles.note}>
        Statistics include the pixels whose center is inside. SD is the population standard deviation. Measurements are
        kept in this tab until the server stops. Download them to keep them longer.
      </p>
    </section>
  );
}

/** Files may still be loading after the page was reloaded. */
function listMeasured(items: readonly Measurement[], files: readonly FileRecord[]): readonly MeasuredFile[] {
  return items.flatMap((item) => {
    const file = files[item.fileIndex];
    return file === undefined ? [] : [{ item, file }];
  });
}
