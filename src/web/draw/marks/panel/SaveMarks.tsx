import { Save } from 'lucide-react';
import { usePage } from '../../../kit/state/page.ts';
import { Menu } from '../../../kit/ui/Menu.tsx';
import { useRois } from '../rois/roiFiles.ts';
import type { MeasuredFile } from '../shapes/exportMeasurements.ts';
import { FORMAT_FORMS, OTHERS } from './savedForms.ts';
import { saveMarks } from './saveMarks.ts';
import styles from './SaveMarks.module.css';

type Props = {
  /** The measurements that a list shows; absent: all. */
  readonly measured?: readonly MeasuredFile[];
};

/** One button that lists all formats in which marks can be saved, and what each is for. */
export function SaveMarks({ measured }: Props) {
  const page = usePage();
  const isExporting = useRois((state) => state.export.kind === 'running');
  return (
    <Menu
      label="Save marks"
      face={
        <>
          <Save size={16} aria-hidden="true" /> Save…
        </>
      }
    >
      {(close) => (
        <div role="menu" aria-label="Save marks" className={styles.menu}>
          {[FORMAT_FORMS, OTHERS].map((forms) => (
            <div key={forms[0]?.id} className={styles.group}>
              {forms.map(({ id, title, purpose }) => (
                <button
                  key={id}
                  type="button"
                  role="menuitem"
                  className={styles.item}
                  disabled={isExporting && id === 'rois'}
                  onClick={() => {
                    close();
                    void saveMarks(page, id, measured);
                  }}
                >
                  <span className={styles.title}>{title}</span>
                  <span className={styles.purpose}>{purpose}</span>
                </button>
              ))}
            </div>
          ))}
        </div>
      )}
    </Menu>
  );
}
