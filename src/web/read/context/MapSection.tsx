import type { WireParametricMapContext, WireRealWorldMapping } from '../../../shared/contract/semantics.ts';
import { filesWithUid } from '../../kit/state/fileNames.ts';
import { usePage } from '../../kit/state/page.ts';
import { showFrame } from '../../show/pictures/shownFrame.ts';
import styles from './ContextPanel.module.css';
import { FactSection, Warnings } from './FactSection.tsx';
import { mappingFacts } from './facts.ts';
import { OverlayFact } from './OverlayFact.tsx';

const STORED = { float32: '32-bit floating point', float64: '64-bit floating point', integer: 'integers' };

const STATUS = {
  unmapped: 'not declared',
  mapping_available: 'declared below',
  incompatible_mapping: 'declared, but not for values of this type',
};

export function MapSection({ context }: { readonly context: WireParametricMapContext }) {
  const { stored_value_type, displayed_value_kind, mappings, mapping_status, overlay, warnings } = context;
  return (
    <>
      <FactSection
        title="Parametric map"
        facts={[
          ['Stored values', STORED[stored_value_type]],
          ['Shown values', displayed_value_kind.replaceAll('_', ' ')],
          ['Meaning', STATUS[mapping_status]],
          ['Overlay on source', <OverlayFact key="overlay" overlay={overlay} />],
        ]}
      >
        <Warnings warnings={warnings} />
      </FactSection>
      {mappings.map((mapping, i) => (
        <FactSection
          // oxlint-disable-next-line react/no-array-index-key -- the list never changes, and its entries may be alike
          key={i}
          title={mapping.label ?? `Mapping ${i + 1}`}
          facts={[...mappingFacts(mapping), ['Declared in', <Origin key="origin" mapping={mapping} />]]}
        />
      ))}
    </>
  );
}

function Origin({ mapping: { source, source_sop_instance_uid: uid } }: { readonly mapping: WireRealWorldMapping }) {
  const page = usePage();
  if (source === 'embedded' || uid === null) return 'this map';
  const [file, ...copies] = filesWithUid(page, uid);
  if (file === undefined) return `another object, ${uid}`;
  return (
    <button type="button" className={styles.link} onClick={() => showFrame(page, file.index, 0)}>
      another object{copies.length > 0 && `, the first of ${copies.length + 1} copies`}
    </button>
  );
}
