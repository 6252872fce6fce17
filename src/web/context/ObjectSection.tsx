import type { FileRecord } from '../../shared/contract/files.ts';
import { describeSeries, explainSupport, formatKind } from '../series/describeFile.ts';
import { FactSection } from './FactSection.tsx';

type Props = {
  readonly file: FileRecord;
  /** Why nothing more is known of what its values mean. */
  readonly reason: string | undefined;
};

/** What kind of object a file holds. */
export function ObjectSection({ file, reason }: Props) {
  return (
    <FactSection
      title="Object"
      facts={[
        ['Kind', formatKind(file.object_kind)],
        ['Class', file.sop_class_name ?? file.sop_class_uid],
        ['Modality', file.modality],
        ['Series', describeSeries(file)],
        ['Instance', file.instance_number],
        ['Meaning', reason],
        ['Picture', file.support_state === 'renderable' ? undefined : explainSupport(file)],
      ]}
    />
  );
}
