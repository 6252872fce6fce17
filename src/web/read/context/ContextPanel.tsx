import type { FileRecord } from '../../../shared/contract/files.ts';
import type { InfoResponse } from '../../../shared/contract/info.ts';
import type { SemanticContextResponse } from '../../../shared/contract/semantics.ts';
import { fetchInfo } from '../../kit/api/files.ts';
import { fetchContext } from '../../kit/api/semantics.ts';
import { LayerList } from '../../over/layers/LayerList.tsx';
import { findClient } from '../../over/layers/layerClients.ts';
import {
  describeSeries,
  explainMissingPicture,
  fileName,
  formatKind,
  isImageMissing,
} from '../../show/series/describeFile.ts';
import { useCells } from '../../kit/state/cells.ts';
import { findInfo } from '../../kit/state/fileInfo.ts';
import { findFile } from '../../kit/state/library.ts';
import { definePart, type Page, usePage } from '../../kit/state/page.ts';
import { useAnswer } from '../../kit/state/useAnswer.ts';
import { PanelMessage } from '../../kit/ui/PanelMessage.tsx';
import { ValueSection } from '../../show/values/ValueSection.tsx';
import styles from './ContextPanel.module.css';
import { DoseSection } from './DoseSection.tsx';
import { FactSection, Warnings } from './FactSection.tsx';
import { imageFacts } from './facts.ts';
import { MapSection } from './MapSection.tsx';
import { SlideSection } from './SlideSection.tsx';

type Context = SemanticContextResponse['context'];
type Told = { readonly context: Context | undefined; readonly info: InfoResponse };

const askOf = definePart((page) => async (fileIndex: number, signal: AbortSignal): Promise<Told> => {
  const [context, info] = await Promise.all([
    describesItself(page, fileIndex) ? undefined : fetchContext(fileIndex, signal),
    findInfo(page, fileIndex) ?? fetchInfo(fileIndex, signal),
  ]);
  return { context: context?.context, info };
});

/** Describes the object of a file and the meaning of its values. */
export function ContextPanel({ file }: { readonly file: FileRecord | undefined }) {
  const page = usePage();
  const cell = useCells(({ activeCell }) => activeCell);
  const { fileIndex, value, error, retry } = useAnswer(file?.index, askOf(page));
  if (file === undefined) return <PanelMessage>No file is open.</PanelMessage>;
  // Until the response arrives, the whole panel still describes the previous file.
  const shown = findFile(page, fileIndex) ?? file;
  const isStale = fileIndex !== file.index;
  return (
    // A region that scrolls must be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={`${styles.panel} ${isStale ? styles.stale : ''}`} aria-busy={isStale} tabIndex={0}>
      <p className={styles.file} title={shown.path}>
        {fileName(shown)}
      </p>
      {error !== undefined && (
        <PanelMessage tone="danger" onRetry={retry}>
          {error}
        </PanelMessage>
      )}
      <LayerList cell={cell} />
      <ObjectSection file={shown} />
      <Meaning context={value?.context} />
      <ValueSection file={shown} />
      {value !== undefined && shown.has_pixels && <ImageSection file={shown} info={value.info} />}
      {shown.object_kind === 'whole_slide_microscopy' && <SlideSection file={shown} />}
    </div>
  );
}

function Meaning({ context }: { readonly context: Context | undefined }) {
  if (context?.kind === 'parametric_map') return <MapSection context={context} />;
  if (context?.kind === 'rt_dose') return <DoseSection context={context} />;
  return undefined;
}

function describesItself(page: Page, fileIndex: number): boolean {
  const file = findFile(page, fileIndex);
  return file !== undefined && findClient(file)?.replacesContext === true && file.frame_count > 0;
}

/** What kind of object a file holds. */
function ObjectSection({ file }: { readonly file: FileRecord }) {
  return (
    <FactSection
      title="Object"
      facts={[
        ['Kind', formatKind(file.object_kind)],
        ['Class', file.sop_class_name ?? file.sop_class_uid],
        ['Modality', file.modality],
        ['Series', describeSeries(file)],
        ['Instance', file.instance_number],
        ['Image', isImageMissing(file) ? explainMissingPicture(file) : undefined],
      ]}
    />
  );
}

function ImageSection({ file, info }: { readonly file: FileRecord; readonly info: InfoResponse }) {
  return (
    <>
      <Warnings warnings={info.warnings} />
      <FactSection title="Image" facts={imageFacts(file, info)} />
    </>
  );
}
